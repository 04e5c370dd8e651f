import { beforeEach, describe, expect, it } from '@jest/globals';
import { SavedPlans } from '../../../src/sync/saved-plans.js';
import { FakeCatalog, refusal } from '../../support/fake-catalog.js';
import { snapshot } from '../../support/fake-store.js';
import { Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => stages.reset());

/** The configuration names another workspace for the stores: another catalog. */
function toOtherWorkspace(): void {
  stages.workspaceKey = 'second';
  stages.catalog = new FakeCatalog();
}

describe('what was planned for one workspace sends nothing to another', () => {
  const nothingSent = (): void => {
    expect(stages.catalog.script.operations()).toEqual([]);
  };

  it('as a run that is tried again, whose products the next run brings in', async () => {
    stages.store.put(snapshot(1));
    stages.catalog.script.before('upsertProduct', refusal('auth', { status: 401 }));
    const { id } = await stages.sync();
    toOtherWorkspace();
    await stages.db.affected(`UPDATE sync_run SET state = 'queued' WHERE id = $1`, [id]);
    expect(await stages.work(id)).toMatchObject({
      state: 'failed',
      errorCode: 'misconfigured',
      retryAt: null,
    });
    nothingSent();
    expect(await stages.sync({ full: false })).toMatchObject({ state: 'succeeded', counts: { created: 1 } });
  });

  it('as a saved plan', async () => {
    const plans = new SavedPlans(stages.db, stages.connections, stages.state, stages.plans, stages.clock);
    const { signal } = new AbortController();
    stages.store.put(snapshot(1));
    const id = await plans.draft(STORE);
    await plans.fill(id, STORE, {
      full: true,
      signal,
      onProgress: () => undefined,
      onActions: () => undefined,
    });
    toOtherWorkspace();
    const after = new SavedPlans(stages.db, stages.connections, stages.state, stages.plans, stages.clock);
    await expect(
      after.apply(id, { trigger: 'command', requestedBy: 'somebody' }, signal),
    ).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('make a new plan'),
    });
    nothingSent();
  });
});
