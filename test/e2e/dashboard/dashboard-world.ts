import { World, type WorldOptions } from '../../support/e2e-world.js';

/** A world with the daemon in this process, with all of its log. */
export async function openDashboard(options: WorldOptions = {}): Promise<World> {
  const world = await World.open(options);
  await world.startHere({ quiet: false });
  return world;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** An HTTP client that keeps cookies and submits forms, like a browser. */
export class Visitor {
  readonly cookies = new Map<string, string>();

  constructor(private readonly url: string) {}

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.#send(path, { headers });
  }

  async post(
    path: string,
    fields: readonly (readonly [string, string])[],
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return this.#send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString(),
    });
  }

  /** Opens a page and posts as a browser would from its form. */
  async submit(from: string, path: string, fields: readonly (readonly [string, string])[]): Promise<Answer> {
    await this.get(from);
    return this.post(path, fields, { 'sec-fetch-site': 'same-origin' });
  }

  async signIn(token: string): Promise<Answer> {
    return this.post('/login', [['token', token]]);
  }

  async #send(path: string, init: RequestInit): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(`${this.url}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { ...(init.headers as Record<string, string>), ...(cookie === '' ? {} : { cookie }) },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (line.includes('; Max-Age=0;')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
}
