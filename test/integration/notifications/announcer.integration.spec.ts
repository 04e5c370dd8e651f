import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Announcer } from '../../../src/notifications/announcer.js';
import { outgoingPost } from '../../../src/notifications/outgoing-webhook.js';
import { NotificationRepository } from '../../../src/persistence/notification.repository.js';
import { loggerTo } from '../../support/logs.js';
import { refusal } from '../../support/fake-catalog.js';
import { snapshot } from '../../support/fake-store.js';
import { deliver } from '../../support/results.js';
import { Stages, STORE, WORKSPACE } from '../../support/stages.js';
import { Receiver } from './receiver.js';
import { sqlRow, sqlRows } from '../../support/sql.js';

const stages = await Stages.open();
const receiver = await Receiver.open();
let logged: string[];
const log = loggerTo(({ fields, message }) => logged.push(`${message} ${JSON.stringify(fields)}`));

beforeEach(async () => {
  await stages.reset();
  receiver.reset();
  logged = [];
});
afterAll(() => receiver.close());

function announcer(timeoutMs = 5_000, adminPort = 0): Announcer {
  return new Announcer(
    stages.connections,
    new NotificationRepository(stages.db),
    outgoingPost(receiver.url(), timeoutMs),
    stages.metrics,
    stages.clock,
    { server: { publicUrl: 'https://sync.example.com/', admin: { port: adminPort } } },
    log,
  );
}

const idle = new AbortController().signal;
const round = (): Promise<void> => announcer().round(idle);

/** Every wait before the next try is over. */
async function waitsOver(): Promise<void> {
  await stages.db.affected('UPDATE notification SET next_attempt_at = now()');
}

/** A run that ends as it is said, as the worker records it. */
async function runEnds(state: string, errorCode: string | null, change = ''): Promise<string> {
  const row = await sqlRow<{ id: string }>(
    stages.db,
    `INSERT INTO sync_run (store, workspace, kind, trigger, state, error_code, error, finished_at)
     VALUES ($1, $2, 'full', 'schedule', $3, $4, 'canary product text', now()) RETURNING id`,
    [STORE, WORKSPACE, state, errorCode],
  );
  if (change !== '') await stages.db.affected(`UPDATE sync_run SET ${change} WHERE id = $1`, [row!.id]);
  return row!.id;
}

const FAILED = `sync of store ${STORE} failed`;
const WORKS = `sync of store ${STORE} works again`;

it('links to no page where the dashboard has a port of its own: the public address does not lead to it', async () => {
  await runEnds('failed', 'transient');
  await announcer(5_000, 3001).round(idle);
  expect(receiver.taken).toEqual([expect.stringContaining(FAILED)]);
  expect(receiver.taken[0]).not.toContain('https://');
});

describe('a change', () => {
  it('is sent once when it begins and once when it ends, however many rounds there are', async () => {
    const id = await runEnds('failed', 'transient');
    await round();
    await round();
    expect(receiver.taken).toEqual([expect.stringContaining(FAILED)]);
    expect(receiver.taken[0]).toMatch(/since \d{4}-\d\d-\d\d \d\d:\d\d UTC\nWhat to do: /);
    expect(receiver.taken[0]).toContain(`https://sync.example.com/runs/${id}`);
    await runEnds('failed', 'transient');
    await round();
    expect(receiver.taken).toHaveLength(1);
    await runEnds('succeeded', null);
    await round();
    await round();
    expect(receiver.taken.slice(1)).toEqual([expect.stringContaining(WORKS)]);
    await runEnds('failed', 'auth');
    await round();
    expect(receiver.taken.slice(2)).toEqual([expect.stringContaining('credentials were refused')]);
  });

  it('is sent once by replicas that look and send at the same time', async () => {
    await runEnds('failed', 'transient');
    await stages.pauseCatalog('refused');
    const replicas = [1, 2, 3, 4].map(() => announcer());
    await Promise.all(replicas.map((replica) => replica.round(idle)));
    await Promise.all(replicas.map((replica) => replica.round(idle)));
    expect(receiver.requests).toBe(2);
    await Promise.all([runEnds('succeeded', null), stages.pauses.catalog.works(WORKSPACE, 'reads')]);
    await Promise.all(replicas.map((replica) => replica.round(idle)));
    await Promise.all(replicas.map((replica) => replica.round(idle)));
    expect([...receiver.taken].sort()).toHaveLength(4);
    expect(new Set(receiver.taken).size).toBe(4);
  });

  it('that the receiver missed is sent when it is back, in order', async () => {
    receiver.answer = 503;
    await runEnds('failed', 'transient');
    await round();
    await round();
    expect(receiver.requests).toBe(1);
    await runEnds('succeeded', null);
    await round();
    receiver.answer = 204;
    await waitsOver();
    await round();
    expect(receiver.taken).toEqual([expect.stringContaining(FAILED), expect.stringContaining(WORKS)]);
  });

  it('waits as long as the receiver asks', async () => {
    receiver.answer = 429;
    receiver.headers = { 'retry-after': '120' };
    await runEnds('failed', 'transient');
    await round();
    const row = await sqlRow<{ seconds: number }>(
      stages.db,
      'SELECT extract(epoch FROM next_attempt_at - now())::int AS seconds FROM notification',
    );
    expect(row?.seconds).toBeGreaterThan(100);
  });

  it('whose sender died is sent by the next one, once its lease is over', async () => {
    await runEnds('failed', 'transient');
    const notifications = new NotificationRepository(stages.db);
    receiver.answer = 500;
    await round();
    await waitsOver();
    expect(await notifications.take('dead')).not.toBeNull();
    receiver.answer = 200;
    await round();
    expect(receiver.taken).toEqual([]);
    await stages.db.affected(`UPDATE notification SET lease_until = now() - interval '1 second'`);
    await round();
    expect(receiver.taken).toHaveLength(1);
  });

  it.each(['hang', 'cut'] as const)('is sent again when its outcome is unknown (%s)', async (answer) => {
    await runEnds('failed', 'transient');
    receiver.answer = answer;
    await announcer(100).round(idle);
    expect(logged).toEqual([expect.stringContaining('did not accept a notification')]);
    receiver.answer = 200;
    await waitsOver();
    await round();
    expect(receiver.taken).toHaveLength(1);
  });

  it('does not follow a redirect', async () => {
    await runEnds('failed', 'transient');
    receiver.answer = 307;
    receiver.headers = { location: receiver.url('/elsewhere') };
    await round();
    expect(receiver.requests).toBe(1);
    expect(logged.join()).toContain('answered 307');
  });

  it('is sent once while one process knows the store and another one does not', async () => {
    await runEnds('failed', 'transient');
    const withStore = announcer();
    stages.isConfigured = false;
    const without = announcer();
    for (const process of [withStore, without, withStore, without, withStore]) await process.round(idle);
    expect(receiver.taken).toEqual([expect.stringContaining(FAILED)]);
  });

  it.each([
    ['', 'gone'],
    [', though a workspace has its key', WORKSPACE],
  ])('of a store that is no longer configured ends without a message%s', async (_also, store) => {
    await stages.db.affected(
      `INSERT INTO notification (kind, subject, since, seen_at, announced)
       VALUES ('run_failed', $1, now(), now() - interval '6 minutes', 'begun')`,
      [store],
    );
    await round();
    await round();
    expect(receiver.requests).toBe(0);
    expect(await sqlRows(stages.db, 'SELECT id FROM notification WHERE ended_at IS NULL')).toEqual([]);
  });
});

describe('the reason for a notification', () => {
  it('holds neither secrets nor text of products, and nor does the log', async () => {
    await runEnds('failed', 'misconfigured');
    await stages.pauseCatalog('canary reason');
    await stages.state.reportWebhook(WORKSPACE, { state: 'foreign', detail: 'holds https://canary.example' });
    receiver.answer = 500;
    await round();
    receiver.answer = 200;
    await waitsOver();
    await round();
    expect(receiver.taken).toHaveLength(3);
    const rows = await sqlRows(stages.db, 'SELECT * FROM notification');
    expect(JSON.stringify([receiver.taken, logged, rows])).not.toMatch(/canary/);
  });

  it('is how a run failed: cut off by a fault, though a part was applied', async () => {
    await runEnds('partial', 'transient', `retry_at = now() + interval '1 minute'`);
    await round();
    expect(receiver.taken).toEqual([expect.stringContaining('it is retried automatically')]);
  });

  it('is a failure that is being tried again when the process that saw it died', async () => {
    await runEnds('succeeded', null, `created_at = now() - interval '1 day'`);
    await runEnds('queued', 'transient');
    await round();
    expect(receiver.taken).toEqual([expect.stringContaining(FAILED)]);
  });

  it('is that a run ended without some products, beside a failure and not for it', async () => {
    await runEnds('partial', 'invalid');
    await round();
    expect(receiver.taken).toEqual([expect.stringContaining('ended, but the catalog refused some products')]);
    await runEnds('failed', 'transient');
    await round();
    expect(receiver.taken[1]).toContain(FAILED);
    await runEnds('succeeded', null);
    await round();
    expect(receiver.taken.slice(2).join('\n')).toContain(WORKS);
    expect(receiver.taken.slice(2).join('\n')).toContain('includes all products again');
  });

  it('comes from what the stages record: a refusal that pauses, and the run after it', async () => {
    stages.store.put(snapshot(1));
    stages.catalog.script.before('upsertProduct', refusal('auth'));
    await stages.sync();
    await round();
    expect(receiver.taken.join('\n')).toContain(FAILED);
    expect(receiver.taken.join('\n')).toContain(`workspace ${WORKSPACE} is paused`);
    await stages.db.affected('UPDATE workspace_state SET paused_until = now()');
    await stages.sync();
    await round();
    expect(receiver.taken.slice(2).sort()).toEqual([
      expect.stringContaining(WORKS),
      expect.stringContaining(`workspace ${WORKSPACE} works again`),
    ]);
  });

  it('is that somebody else has the webhook slot, and that it is no longer so', async () => {
    const slot = (state: string) => stages.state.reportWebhook(WORKSPACE, { state, detail: 'as found' });
    await slot('ours');
    await round();
    await slot('foreign');
    await round();
    // Unreadable is not the same as given back.
    await slot('unknown');
    await round();
    expect(receiver.taken).toEqual([expect.stringContaining('has the address of another system')]);
    await slot('ours');
    await round();
    expect(receiver.taken[1]).toContain('no longer has the address of another system');
  });

  it('is that credits are at their minimum or under it, once any were reported', async () => {
    stages.settings = { ...stages.settings, workspace: { generation: { minCreditsRemaining: 10 } } };
    await round();
    expect(receiver.requests).toBe(0);
    await stages.state.reportCredits(WORKSPACE, 10, new Date());
    await round();
    await stages.state.reportCredits(WORKSPACE, 11, new Date());
    await round();
    expect(receiver.taken).toEqual([
      expect.stringContaining('has 10 credits left (generation.minCreditsRemaining is 10)'),
      expect.stringContaining('has credits again'),
    ]);
  });

  it('is that deliveries and write-backs wait for a person', async () => {
    await deliver(stages, Buffer.from('no json'));
    await stages.db.affected(
      `INSERT INTO write_back (store, workspace, external_id, content_fingerprint, result_at, state, intended)
       VALUES ($1, $2, 'x', 'x', now(), 'failed', '[]')`,
      [STORE, WORKSPACE],
    );
    await round();
    expect([...receiver.taken].sort()).toEqual([
      expect.stringContaining(`1 delivery of workspace ${WORKSPACE} was parked`),
      expect.stringContaining(`1 write-back to store ${STORE} failed`),
    ]);
  });
});
