import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';
import { INSERT_DELIVERY } from '../../src/persistence/delivery.repository.js';

// The floor of receipt: a bare server that checks the same signature and does the same insert on the same database.

const [databaseUrl = '', secret = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 6 });

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const timestamp = String(request.headers['x-webhook-timestamp']);
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
  const given = Buffer.from(String(request.headers['x-webhook-signature']).slice('sha256='.length), 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    response.writeHead(401).end();
    return;
  }
  const key = createHash('sha256').update(body).digest('hex');
  await pool.query(INSERT_DELIVERY, ['floor', key, 'webhook', '{}', body, 'product_generated']);
  response.writeHead(200).end('stored');
}

const server = createServer((request, response) => {
  void receive(request, response);
});
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`up ${String(typeof address === 'object' && address !== null ? address.port : 0)}\n`);
});
