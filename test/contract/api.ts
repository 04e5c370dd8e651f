/** The response. `body` is the parsed JSON, or undefined for an answer without a body. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** Instead of the JSON of `body`. */
  readonly raw?: { readonly type: string; readonly bytes: string | Uint8Array<ArrayBuffer> } | FormData;
  /** null sends no Authorization header. */
  readonly token?: string | null;
}

/** A plain HTTP client: it knows URLs and JSON, and nothing of the service. */
export class Api {
  constructor(
    readonly baseUrl: string,
    private readonly token: string | null,
  ) {}

  as(token: string | null): Api {
    return new Api(this.baseUrl, token);
  }

  get(path: string, query: CallOptions['query'] = {}): Promise<Answer> {
    return this.call('GET', path, { query });
  }

  post(path: string, body: unknown, query: CallOptions['query'] = {}): Promise<Answer> {
    return this.call('POST', path, { body, query });
  }

  put(path: string, body: unknown, query: CallOptions['query'] = {}): Promise<Answer> {
    return this.call('PUT', path, { body, query });
  }

  patch(path: string, body: unknown, query: CallOptions['query'] = {}): Promise<Answer> {
    return this.call('PATCH', path, { body, query });
  }

  delete(path: string): Promise<Answer> {
    return this.call('DELETE', path, {});
  }

  /** `path` is below the base URL, or absolute as `next` is. */
  async call(
    method: string,
    path: string,
    { body, query = {}, raw, token = this.token }: CallOptions,
  ): Promise<Answer> {
    const url = new URL(/^https?:/.test(path) ? path : this.baseUrl + path);
    for (const [name, values] of Object.entries(query)) {
      for (const value of [values].flat()) url.searchParams.append(name, value);
    }
    const headers = new Headers({ accept: 'application/json' });
    if (token !== null) headers.set('authorization', `Bearer ${token}`);
    if (raw !== undefined && !(raw instanceof FormData)) headers.set('content-type', raw.type);
    if (raw === undefined && body !== undefined) headers.set('content-type', 'application/json');
    const payload =
      raw instanceof FormData ? raw : (raw?.bytes ?? (body === undefined ? null : JSON.stringify(body)));
    const response = await fetch(url, { method, headers, body: payload, redirect: 'manual' });
    const text = await response.text();
    return {
      status: response.status,
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
      headers: response.headers,
    };
  }
}
