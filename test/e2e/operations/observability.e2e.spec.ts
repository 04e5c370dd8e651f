import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { STORE_TOKEN } from '../../support/world/services.js';
import { samplesOf } from '../../support/metrics/samples.js';
import { Receiver } from '../../integration/notifications/receiver.js';
import { until, World, type Run } from '../../support/e2e-world.js';
import { OtlpReceiver, type ReceivedSpan } from '../../support/tracing/otlp-receiver.js';

let world: World;
let collector: OtlpReceiver;
let receiver: Receiver;
let run: Run;
let samples: Map<string, number>;

const OTEL = {
  OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=key-of-the-collector',
  OTEL_SERVICE_NAME: 'sync-under-test',
};
const before = { ...process.env };

/** One daemon with metrics, traces and notifications on, and one whole way: run, generation, delivery, write-back. */
beforeAll(async () => {
  [world, collector, receiver] = await Promise.all([World.open(), OtlpReceiver.open(), Receiver.open()]);
  await world.configure({ notifications: { webhookUrl: receiver.url() } });
  Object.assign(process.env, OTEL, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  for (const n of [1, 2])
    world.store.products.create({
      title: `Canary lamp ${n}`,
      handle: `canary-lamp-${n}`,
      descriptionHtml: '<p>canary text</p>',
    });
  const daemon = await world.startHere();
  run = await world.runToEnd();
  await world.settled();
  await world.deliver('no delivery at all');
  await world.deliver('{}', { secret: 'not-the-secret' });
  await world.settled();
  await until('the notification', () => Promise.resolve(receiver.taken[0] ?? null), 30_000);
  samples = samplesOf(await (await fetch(`${world.url}/metrics`)).text());
  await daemon.stop();
}, 90_000);

afterAll(async () => {
  for (const name of [...Object.keys(OTEL), 'OTEL_EXPORTER_OTLP_ENDPOINT']) {
    if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
  }
  await world.end();
  await Promise.all([collector.close(), receiver.close()]);
});

describe('metrics', () => {
  it.each([
    ['store_sync_runs_total{state="succeeded",store="main"}', 1],
    ['store_sync_run_duration_seconds_count{kind="full",store="main"}', 1],
    ['store_sync_actions_total{kind="create",outcome="applied"}', 2],
    ['store_sync_deliveries_received_total{outcome="stored",workspace="default"}', 3],
    ['store_sync_deliveries_received_total{outcome="refused",workspace="default"}', 1],
    ['store_sync_deliveries_received_total{outcome="unavailable",workspace="default"}', 0],
    ['store_sync_delivery_ack_seconds_count', 4],
    ['store_sync_write_backs_total{state="applied"}', 2],
    ['store_sync_open_rows{rows="deliveries",state="parked"}', 1],
    ['store_sync_database_up', 1],
    ['store_sync_queue_up', 1],
    ['store_sync_workspace_paused{workspace="default"}', 0],
    ['store_sync_webhook_slot{state="ours",workspace="default"}', 1],
    ['store_sync_queue_jobs{queue="runs",state="waiting"}', 0],
    ['store_sync_notifications_total{outcome="sent"}', 1],
  ])('%s is %d', (name, value) => {
    expect(samples.get(name)).toBe(value);
  });

  it.each([
    'store_sync_deliveries_interpreted_total{outcome="processed"}',
    'store_sync_deliveries_interpreted_total{outcome="parked"}',
    'store_sync_catalog_requests_total{method="POST",status="201"}',
    'store_sync_store_requests_total{operation="ProductUpdate",outcome="ok",store="main"}',
    'store_sync_store_bucket_points{store="main"}',
    'store_sync_credits_remaining{workspace="default"}',
    'store_sync_last_successful_run_timestamp_seconds{store="main"}',
  ])('%s is counted', (name) => {
    expect(samples.get(name)).toBeGreaterThan(0);
  });
});

describe('notifications', () => {
  it('come from the daemon, with a way to the dashboard', () => {
    expect(receiver.taken).toEqual([expect.stringContaining('1 delivery of workspace default was parked')]);
    expect(receiver.taken[0]).toContain(`${world.url}/deliveries`);
  });
});

describe('traces', () => {
  const named = (name: string): ReceivedSpan[] => collector.spans.filter((span) => span.name === name);

  it('go to the collector that the environment names, with its headers and service name', () => {
    expect(collector.raw[0]).toBe('POST /v1/traces application/x-protobuf');
    expect(collector.raw[1]).toContain('key-of-the-collector');
    expect(new Set(collector.spans.map(({ service }) => service))).toEqual(new Set(['sync-under-test']));
  });

  it('show a run with its phases', () => {
    const [root] = named('run');
    expect(root?.facts).toMatchObject({
      ...{ 'run.id': run.id, store: 'main', 'run.kind': 'full', 'run.state': 'succeeded' },
    });
    for (const phase of ['extract', 'plan', 'apply', 'request generation'])
      expect([phase, named(phase).map(({ parentId }) => parentId)]).toEqual([phase, [root?.id]]);
  });

  it('show each request of a phase, by template and status', () => {
    const [apply] = named('apply');
    const posts = named('catalog POST /products/').filter(({ parentId }) => parentId === apply?.id);
    expect(posts).toHaveLength(2);
    expect(posts[0]).toMatchObject({
      isError: false,
      facts: { workspace: 'default', 'http.request.method': 'POST', 'http.response.status_code': 201 },
    });
    expect(posts[0]?.durationMs).toBeGreaterThan(0);
    const [root] = named('run');
    const ofStore = collector.spans.filter(
      ({ name, traceId }) => name.startsWith('store ') && traceId === root?.traceId,
    );
    expect(ofStore.length).toBeGreaterThan(0);
  });

  it('show receipt, interpretation and write-back of deliveries', () => {
    const outcomes = named('receive delivery').map(({ facts }) => facts['outcome']);
    expect(outcomes.sort()).toEqual(['refused', 'stored', 'stored', 'stored']);
    expect(named('interpret delivery').map(({ facts }) => facts['delivery.state'])).toEqual(
      expect.arrayContaining(['processed', 'parked']),
    );
    const written = named('write back').filter(({ facts }) => facts['write_back.state'] === 'applied');
    expect(written).toHaveLength(2);
    const below = collector.spans.filter(({ parentId }) => parentId === written[0]?.id);
    expect(below.map(({ name }) => name)).toEqual(expect.arrayContaining([expect.stringMatching(/^store /)]));
  });

  it('hold neither secrets nor text of products', () => {
    const sent = collector.raw.join('\n');
    for (const secret of [world.adminToken, world.webhookSecret, STORE_TOKEN, world.env['CATALOG_API_TOKEN']])
      expect(sent).not.toContain(secret);
    expect(sent).not.toMatch(/canary/i);
  });
});
