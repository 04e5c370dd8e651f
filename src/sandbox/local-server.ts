import { once } from 'node:events';
import type { Server } from 'node:http';
import { CodedError } from '../domain/errors.js';

const HOST = '127.0.0.1';

/** Listens on this machine alone, on a port that the system picks for 0. Answers the address without a slash at its end. */
export async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, HOST);
  // Rejects with the server's own error, such as a port that is taken.
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new CodedError('misconfigured', 'the sandbox store has no port');
  return `http://${HOST}:${address.port}`;
}

/** Ends open connections as well. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
