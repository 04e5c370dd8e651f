import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach } from '@jest/globals';
import { close, listen } from '../../src/sandbox/shop-server.js';

/** Starts servers of this machine for the tests of a file: each answers its address, and ends with its test. */
export function localServers(): (listener: RequestListener) => Promise<string> {
  const started: Server[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map(close));
  });
  return (listener) => {
    const server = createServer(listener);
    started.push(server);
    return listen(server, 0);
  };
}
