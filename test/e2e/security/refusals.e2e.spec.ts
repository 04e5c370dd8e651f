import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { samplesOf } from '../../support/metrics/samples.js';
import type { Program } from '../../support/e2e-program.js';
import { until, World } from '../../support/e2e-world.js';

let world: World;
let program: Program;

beforeAll(async () => {
  world = await World.open({
    settings: {
      server: { trustedProxies: 1 },
      stores: { main: { webhookSecret: 'what the store signs its events with' } },
    },
  });
  program = await world.start();
});
afterAll(() => world.end());

/** The proxy adds the address that it sees to what the client claims. */
const FORWARDED = { 'x-forwarded-for': '198.51.100.6, 203.0.113.7' };
const seconds = String(Math.floor(Date.now() / 1000));
const wrongly = (encoding: 'hex' | 'base64'): string =>
  createHmac('sha256', 'a secret of somebody else').update('{}').digest(encoding);

const DELIVERIES = 'store_sync_deliveries_received_total{outcome="refused",workspace="default"}';
const EVENTS = 'store_sync_store_events_received_total{outcome="refused",store="main"}';

describe('a refused caller is counted, and logged with its address as the trusted proxy says', () => {
  it.each<[string, string, string, Record<string, string>, string]>([
    ['a delivery without a signature', '/webhooks/catalog/default', DELIVERIES, {}, 'a delivery was refused'],
    [
      'a delivery with a wrong signature',
      '/webhooks/catalog/default',
      DELIVERIES,
      { 'x-webhook-timestamp': seconds, 'x-webhook-signature': `sha256=${wrongly('hex')}` },
      'a delivery was refused',
    ],
    [
      'a store event without a signature',
      '/webhooks/shopify/main',
      EVENTS,
      { 'x-shopify-webhook-id': '1' },
      'a store event was refused',
    ],
    [
      'a store event with a wrong signature',
      '/webhooks/shopify/main',
      EVENTS,
      { 'x-shopify-hmac-sha256': wrongly('base64') },
      'a store event was refused',
    ],
    [
      'a wrong bearer token',
      '/api/v1/stores/main/syncs',
      'store_sync_access_refused_total{reason="wrong_token",via="api"}',
      { authorization: 'Bearer guessed' },
      'a request with a wrong bearer token was refused',
    ],
    [
      'a wrong token at the sign-in',
      '/login',
      'store_sync_access_refused_total{reason="wrong_token",via="dashboard"}',
      { 'content-type': 'application/x-www-form-urlencoded' },
      'refused',
    ],
  ])('%s', async (_name, path, series, headers, message) => {
    const before = await counted(series);
    const lines = program.lines.length;
    const body = path === '/login' ? 'token=guessed' : '{}';
    const answer = await fetch(`${world.url}${path}`, {
      method: 'POST',
      headers: { ...FORWARDED, ...headers },
      body,
    });
    expect(answer.status).toBe(401);
    expect((await counted(series)) - before).toBe(1);
    const line = await until('the log line', () =>
      Promise.resolve(program.lines.slice(lines).find((each) => each.includes('203.0.113.7')) ?? null),
    );
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', address: '203.0.113.7' });
    expect(line).toContain(message);
  });
});

async function counted(series: string): Promise<number> {
  const samples = samplesOf(await (await fetch(`${world.url}/metrics`)).text());
  return samples.get(series) ?? Number.NaN;
}
