export interface JsonAnswer {
  readonly status: number;
  /** Null where the answer has no body. */
  readonly body: unknown;
}

/** One request of an HTTP API that takes and answers JSON. */
export async function callJson(
  url: string,
  token: string,
  method: string,
  body?: unknown,
): Promise<JsonAnswer> {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
}
