import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { deliveryOf } from '../fault/deliveries.js';
import { signed } from '../support/signed-delivery.js';

// `load-main.ts URL SECRET SHOP FIRST SECONDS CONNECTIONS [PER_SECOND]`: sends signed deliveries of 4 KB, as fast as they are answered or
// PER_SECOND. Each reports another failed generation, of products numbered from FIRST. Prints statuses and latencies as JSON. Those of
// the first two seconds are sent and not measured: this process compiles its code and opens its connections then, so that it is late by
// itself. It prints "measuring" when they are over.

const [url = '', secret = '', shop = '', first = '1', seconds = '10', connections = '32', perSecond] =
  process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const latencies: number[] = [];
const statuses: Record<string, number> = {};
let next = Number(first);
const WARM_MS = 2_000;
const filling = 'n'.repeat(3_300);

function send(): Promise<void> {
  const id = next++;
  const { body } = deliveryOf({
    action: 'product_generation_failed',
    externalId: `shopify:${shop}:${String(id)}`,
    catalogId: id,
    taskId: `task-${String(id)}`,
    createdAt: new Date(),
    content: { name: `Lamp ${String(id)}`, html_description: filling },
  });
  const headers = { ...signed(body, secret), 'content-length': body.length };
  return new Promise((resolve) => {
    const began = performance.now();
    const ended = (status: string): void => {
      if (began >= measuredFrom) latencies.push(performance.now() - began);
      statuses[status] = (statuses[status] ?? 0) + 1;
      resolve();
    };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () => {
        ended(String(response.statusCode));
      });
    });
    sent.on('error', (error) => {
      ended(error.message);
    });
    sent.end(body);
  });
}

async function asFastAsAnswered(until: number): Promise<void> {
  while (performance.now() < until) await send();
}

async function atARate(rate: number, until: number): Promise<void> {
  const began = performance.now();
  const under: Promise<void>[] = [];
  for (let sent = 0; performance.now() < until;) {
    const due = Math.floor(((performance.now() - began) / 1000) * rate);
    for (; sent < due; sent++) under.push(send());
    await sleep(1);
  }
  await Promise.all(under);
}

const measuredFrom = performance.now() + WARM_MS;
setTimeout(() => process.stdout.write('measuring\n'), WARM_MS);
const until = measuredFrom + Number(seconds) * 1000;
if (perSecond === undefined)
  await Promise.all(Array.from({ length: Number(connections) }, () => asFastAsAnswered(until)));
else await atARate(Number(perSecond), until);
const took = (performance.now() - measuredFrom) / 1000;
latencies.sort((one, other) => one - other);
const at = (share: number): number =>
  latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
process.stdout.write(
  `result ${JSON.stringify({ perSecond: latencies.length / took, p50: at(0.5), p99: at(0.99), statuses, next })}\n`,
);
agent.destroy();
