import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/**
 * One POST on a connection of its own. Answers the status as soon as the response's head is there; a redirect is a status like any
 * other. Rejects when there is none within `timeoutMs`, when the connection fails, or when `signal` aborts.
 */
export async function postOnce(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<number> {
  const target = new URL(url);
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  const bytes = Buffer.from(body, 'utf8');
  const limit = AbortSignal.timeout(timeoutMs);
  return await new Promise<number>((resolve, reject) => {
    const request = send(
      target,
      {
        method: 'POST',
        agent: false,
        signal: AbortSignal.any([signal, limit]),
        headers: { ...headers, 'Content-Length': String(bytes.length) },
      },
      (response) => {
        // The body of the response is read only within the remaining time.
        response.on('error', () => response.destroy());
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    request.on('error', (error) =>
      reject(limit.aborted ? new Error(`No response within ${timeoutMs} ms`) : error),
    );
    request.end(bytes);
  });
}
