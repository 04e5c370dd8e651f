import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { close, listen } from '../../sandbox/shop-server.js';
import type { Logger } from '../../runtime/logger.js';
import { startTracing } from './start.js';
import { traced } from './tracing.js';

/** So many spans are sent at once; fewer wait for seconds. */
const ONE_BATCH = 512;

it('a collector that repeats the headers of a refused request brings no key into the log', async () => {
  const collector = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(400).end(JSON.stringify(request.headers)));
  });
  const before = { ...process.env };
  Object.assign(process.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: await listen(collector, 0),
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=key-of-the-collector',
  });
  const lines: string[] = [];
  const log = { warn: (_fields: object, line: string) => lines.push(line) } as unknown as Logger;
  const tracing = startTracing(1, log);
  try {
    for (let span = 0; span < ONE_BATCH; span += 1) await traced('run', {}, () => Promise.resolve());
    while (lines.length === 0) await sleep(10);
  } finally {
    await tracing.stop();
    process.env = before;
    await close(collector);
  }
  expect(lines[0]).toBe('traces: the collector answered 400');
});
