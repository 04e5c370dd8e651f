import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { IsNull } from 'typeorm';
import { verifyWebhookSignature } from '../../../src/catalog/webhook-signature.js';
import { EventSender } from '../../../src/notifications/event-sender.js';
import { outgoingPost } from '../../../src/notifications/outgoing-webhook.js';
import { LifecycleEventEntity } from '../../../src/persistence/entities/lifecycle-event.entity.js';
import { LifecycleEventRepository } from '../../../src/persistence/lifecycle-event.repository.js';
import { snapshot } from '../../support/fake-store.js';
import { loggerTo } from '../../support/logs.js';
import { deliverNewer, writeNewer } from '../../support/results.js';
import { Stages, STORE, WORKSPACE } from '../../support/stages.js';

const SECRET = 'secret-canary-of-the-events';
const eventSchema = z.strictObject({
  id: z.string(),
  type: z.enum(['run.ended', 'review.waiting', 'store.paused']),
  at: z.iso.datetime(),
  store: z.string(),
  data: z.record(z.string(), z.unknown()),
});

const stages = await Stages.open();
let server: Server;
let status: number;
let taken: z.infer<typeof eventSchema>[];
let verified: boolean[];
let logged: string[];

beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const { 'x-webhook-timestamp': timestamp, 'x-webhook-signature': signature } = request.headers;
      const delivery = { rawBody: Buffer.from(body), timestamp, signature };
      const rules = { secrets: [SECRET], now: stages.clock.now(), toleranceSeconds: 60 };
      verified.push(verifyWebhookSignature(delivery, rules).ok);
      if (status < 300) taken.push(eventSchema.parse(JSON.parse(body)));
      response.writeHead(status, { location: 'http://127.0.0.1:9/elsewhere' }).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
});
beforeEach(async () => {
  await stages.reset();
  [status, taken, verified, logged] = [200, [], [], []];
  // The first look says since when events are sent.
  await round();
});

async function round(sender = makeSender()): Promise<void> {
  await sender.round(new AbortController().signal);
}

function makeSender(): EventSender {
  const { port } = server.address() as AddressInfo;
  const log = loggerTo(({ fields, message }) => logged.push(`${message} ${JSON.stringify(fields)}`));
  const post = outgoingPost(`http://127.0.0.1:${String(port)}/canary-path`);
  const events = new LifecycleEventRepository(stages.db);
  return new EventSender(
    stages.connections,
    events,
    { post, secret: SECRET },
    stages.metrics,
    stages.clock,
    log,
  );
}

async function runEnds(state: string, finished = 'now()'): Promise<void> {
  await stages.db.affected(
    `INSERT INTO sync_run (store, workspace, kind, trigger, state, error, finished_at)
     VALUES ($1, $2, 'full', 'schedule', $3, 'canary product text', ${finished})`,
    [STORE, WORKSPACE, state],
  );
}

describe('lifecycle events', () => {
  it('report the end of a run once, signed, whichever process finds it', async () => {
    await runEnds('partial');
    await Promise.all([round(), round(), round()]);
    expect(taken).toMatchObject([
      { type: 'run.ended', store: STORE, data: { state: 'partial', kind: 'full' } },
    ]);
    expect(verified).toEqual([true]);
    expect(JSON.stringify(taken)).not.toContain('canary');
  });

  it('say nothing of runs from before', async () => {
    await runEnds('failed', `now() - interval '1 hour'`);
    await round();
    expect(taken).toEqual([]);
  });

  it('report a pause of a store, and each further one', async () => {
    const pause = { scope: 'everything', code: 'credentials_refused', reason: 'canary' } as const;
    await stages.pauses.store.pause(STORE, pause);
    await round();
    await round();
    expect(taken.map(({ type, data }) => [type, data['code']])).toEqual([
      ['store.paused', 'credentials_refused'],
    ]);
    await stages.pauses.store.end(STORE);
    await stages.pauses.store.pause(STORE, pause);
    await round();
    expect(taken).toHaveLength(2);
  });

  it('report new texts for review, at most once in fifteen minutes, with how many wait', async () => {
    const arrives = (id: string): Promise<number> =>
      stages.db.affected(
        `INSERT INTO write_back (store, workspace, external_id, content_fingerprint, result_at, state, intended)
         VALUES ($1, $2, $3, $3, now(), 'pending_review', '[]')`,
        [STORE, WORKSPACE, id],
      );
    await arrives('one');
    await round();
    await arrives('two');
    await round();
    expect(taken).toMatchObject([{ type: 'review.waiting', store: STORE, data: { waiting: 1 } }]);
    await stages.db.affected(
      `UPDATE lifecycle_event SET at = at - interval '1 hour' WHERE kind = 'review.waiting'`,
    );
    await round();
    await round();
    expect(taken.map(({ data }) => data['waiting'])).toEqual([1, 2]);
  });

  it('report a text that a gate holds back long after it came', async () => {
    stages.settings = { store: { writeBack: { gates: { forbid: ['cheap'] } } }, workspace: {} };
    stages.store.put(snapshot(1), snapshot(2));
    await stages.sync();
    const late = await deliverNewer(stages, { id: 2, name: 'A cheap one' });
    await writeNewer(stages, { name: 'Another cheap one' });
    const waiting = () =>
      taken.filter(({ type }) => type === 'review.waiting').map(({ data }) => data['waiting']);
    await round();
    expect(waiting()).toEqual([1]);
    await stages.db.affected(
      `UPDATE lifecycle_event SET at = at - interval '1 hour' WHERE kind = 'review.waiting'`,
    );
    await stages.db.affected(`UPDATE write_back SET created_at = created_at - interval '2 hours',
      next_attempt_at = next_attempt_at - interval '2 hours'`);
    await round();
    expect(waiting()).toEqual([1]);
    expect(await stages.writer.write(late)).toMatchObject({ state: 'pending_review' });
    await round();
    await round();
    expect(waiting()).toEqual([1, 2]);
  });

  it('are sent again after a refusal, a redirect among them, and name no address in the log', async () => {
    await runEnds('succeeded');
    for (const refused of [500, 302, 429]) {
      status = refused;
      await round();
      await stages.db.affected('UPDATE lifecycle_event SET next_attempt_at = now()');
    }
    expect(taken).toEqual([]);
    status = 200;
    await round();
    await round();
    expect(taken).toHaveLength(1);
    expect(new Set(verified)).toEqual(new Set([true]));
    expect(logged.join()).toContain('did not accept');
    expect(logged.join()).not.toContain('canary');
  });

  it('wait for a receiver that is down, and lose nothing meanwhile', async () => {
    status = 503;
    for (const state of ['failed', 'succeeded']) {
      await runEnds(state);
      await round();
    }
    expect(await stages.db.repository(LifecycleEventEntity).countBy({ settledAt: IsNull() })).toBe(2);
    status = 200;
    await stages.db.affected('UPDATE lifecycle_event SET next_attempt_at = now()');
    await round();
    expect(taken.map(({ data }) => data['state']).sort()).toEqual(['failed', 'succeeded']);
  });
});
