export interface Answer {
  readonly status: number;
  /** An object is sent as JSON. */
  readonly body: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export const NOT_FOUND: Answer = { status: 404, body: { errors: 'Not Found' } };
