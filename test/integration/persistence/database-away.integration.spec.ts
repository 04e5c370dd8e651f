import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CRASHES_MOST } from '../../../src/persistence/crash-count.js';
import { openDataSource } from '../../../src/persistence/data-source.js';
import { DatabaseAwayError, statementError } from '../../../src/persistence/statement-error.js';
import { onKillPoint } from '../../../src/runtime/kill-point.js';
import { snapshot } from '../../support/fake-store.js';
import { receive, resultOf, storedDelivery } from '../../support/results.js';
import { Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1));
});
afterEach(() => {
  onKillPoint(null);
});

/** As if the statements after a kill point found no database. */
function awayAt(point: string, isSent = false, times = 1): void {
  let left = times;
  onKillPoint((reached) => {
    if (reached !== point || left === 0) return;
    left -= 1;
    throw new DatabaseAwayError('connection refused', 'ECONNREFUSED', 'SELECT 1', isSent);
  });
}

describe('an error of the database', () => {
  it('says that the database is away when no connection is had', async () => {
    await expect(openDataSource({ url: 'postgres://u:p@127.0.0.1:1/x', poolSize: 1 })).rejects.toThrow(
      'cannot be reached',
    );
    expect(statementError(new Error('timeout exceeded when trying to connect'), 'SELECT 1')).toMatchObject({
      ...{ name: 'DatabaseAwayError', isSent: false },
      message: 'the database did not answer: timeout exceeded when trying to connect',
    });
  });

  it('says so when the server ends the connection', async () => {
    const ended = stages.db.transaction((runner) =>
      stages.db.affected('SELECT pg_terminate_backend(pg_backend_pid())', [], runner),
    );
    await expect(ended).rejects.toMatchObject({ name: 'DatabaseAwayError', isSent: true });
  });

  it('does not say so of a statement that is wrong', async () => {
    await expect(stages.db.affected('SELECT $1::int + nonsense', [1])).rejects.toMatchObject({
      name: 'StatementError',
    });
    await expect(stages.db.affected('SELECT $1::int', [1, 2])).rejects.toMatchObject({
      name: 'StatementError',
    });
  });
});

describe('work whose worker lives while the database is away', () => {
  it('goes on: a run is neither failed nor counted as one that killed its worker', async () => {
    const { id } = await stages.requests.request({ store: STORE, full: true, trigger: 'schedule' });
    awayAt('plan.planned');
    expect(await stages.worker.work(id, new AbortController().signal)).toBeNull();
    expect(await stages.runs.get(id)).toMatchObject({
      state: 'queued',
      lease: null,
      crashCount: 0,
      error: null,
    });
    expect(await stages.work(id)).toMatchObject({ state: 'succeeded', counts: { created: 1, failed: 0 } });
  });

  it('goes on, but a run whose own statement may have ended the connection is counted', async () => {
    const { id } = await stages.requests.request({ store: STORE, full: true, trigger: 'schedule' });
    awayAt('plan.planned', true);
    await stages.worker.work(id, new AbortController().signal);
    expect(await stages.runs.get(id)).toMatchObject({ state: 'queued', crashCount: 1 });
  });

  it('goes on: a delivery is given back at once', async () => {
    await stages.sync();
    const id = await receive(stages, await resultOf(stages, 1));
    awayAt('interpret.claimed', false, CRASHES_MOST + 1);
    for (let attempt = 0; attempt <= CRASHES_MOST; attempt += 1)
      await expect(stages.interpreter.interpret(id)).rejects.toThrow('did not answer');
    expect(await storedDelivery(stages, id)).toMatchObject({ state: 'received', crashCount: 0 });
    await stages.interpreter.interpret(id);
    expect(await storedDelivery(stages, id)).toMatchObject({ state: 'processed' });
  });

  it('goes on: a write-back is not counted as one that killed its worker', async () => {
    await stages.sync();
    const { writeBackId } = await stages.interpreter.interpret(
      await receive(stages, await resultOf(stages, 1)),
    );
    const id = writeBackId ?? '';
    awayAt('write-back.started', false, CRASHES_MOST + 1);
    for (let attempt = 0; attempt <= CRASHES_MOST; attempt += 1)
      await expect(stages.writer.write(id)).rejects.toThrow('did not answer');
    expect(await stages.writeBacks.get(id)).toMatchObject({ state: 'ready', crashCount: 0 });
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
  });
});

describe('a delivery that was in the hands of workers that died', () => {
  it('waits longer after each death from the third on, so that a few restarts do not set it aside', async () => {
    await stages.sync();
    const id = await receive(stages, await resultOf(stages, 1));
    const die = async (): Promise<number> => {
      onKillPoint((reached) => {
        if (reached === 'interpret.claimed') throw new Error('died');
      });
      await expect(stages.interpreter.interpret(id)).rejects.toThrow('died');
      onKillPoint(null);
      await stages.db.affected(`UPDATE webhook_delivery SET lease_until = now() - interval '1 second'`);
      const row = await storedDelivery(stages, id);
      return ((row?.nextAttemptAt.getTime() ?? 0) - Date.now()) / 1000;
    };
    expect(await die()).toBeLessThan(1);
    expect(await die()).toBeLessThan(1);
    const third = await die();
    expect(third).toBeGreaterThan(15);
    expect(third).toBeLessThanOrEqual(31);
    expect(await stages.deliveries.due(10)).toEqual([]);
    expect(await stages.interpreter.interpret(id)).toMatchObject({ state: null });
    await stages.db.affected('UPDATE webhook_delivery SET next_attempt_at = now()');
    expect(await die()).toBeGreaterThan(third + 10);
    await stages.db.affected('UPDATE webhook_delivery SET next_attempt_at = now()');
    expect(await stages.interpreter.interpret(id)).toMatchObject({ state: 'processed' });
  });
});
