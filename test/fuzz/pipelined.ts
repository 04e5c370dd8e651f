import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from './chance.js';

const PATHS = ['/docs-json', '/metrics', '/health/live', '/health/ready', '/login', '/docs', '/nowhere'];
const MOST_CONNECTIONS = 10;
const MOST_REQUESTS = 200;
const LONGEST_MS = 500;

/** Opens connections that send many requests in one go and read no answers, or few. Resolves with how many requests were sent. */
export async function pipelinedRequests(port: number, chance: Chance): Promise<number> {
  const count = 1 + chance.below(MOST_CONNECTIONS);
  let sent = 0;
  const sockets: Socket[] = [];
  for (let number = 0; number < count; number += 1) {
    const requests = 1 + chance.below(MOST_REQUESTS);
    const request = `GET ${chance.of(PATHS)} HTTP/1.1\r\nhost: here\r\n\r\n`;
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    if (chance.happens(0.7)) socket.pause();
    else socket.resume();
    socket.write(request.repeat(requests));
    sockets.push(socket);
    sent += requests;
  }
  await sleep(chance.below(LONGEST_MS));
  for (const socket of sockets) socket.destroy();
  return sent;
}
