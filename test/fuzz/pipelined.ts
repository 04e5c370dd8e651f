import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';

const PATHS = ['/docs-json', '/metrics', '/health/live', '/health/ready', '/login', '/docs', '/nowhere'];

export const pipelines = fc.record({
  connections: fc.array(
    fc.record({
      path: fc.constantFrom(...PATHS),
      requests: fc.integer({ min: 1, max: 200 }),
      isRead: fc.constantFrom(false, false, true),
    }),
    { minLength: 1, maxLength: 10, size: 'max' },
  ),
  openMs: fc.nat(500),
});

export type Pipelines = typeof pipelines extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** Opens connections that send many requests in one go and read no answers, or few. Resolves with how many requests were sent. */
export async function sendPipelined(port: number, { connections, openMs }: Pipelines): Promise<number> {
  const sockets = connections.map(({ path, requests, isRead }) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    if (isRead) socket.resume();
    else socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nhost: here\r\n\r\n`.repeat(requests));
    return socket;
  });
  await sleep(openMs);
  for (const socket of sockets) socket.destroy();
  return connections.reduce((sum, { requests }) => sum + requests, 0);
}
