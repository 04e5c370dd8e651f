import { beforeEach, describe, expect, it } from '@jest/globals';
import { SavedPlans } from '../../../src/sync/saved-plans.js';
import { dryRunOf } from '../../support/dry-run-of.js';
import { FakeCatalog, refusal } from '../../support/fake-catalog.js';
import { modelSnapshot, otherSnapshot, snapshot, withSku } from '../../support/fake-store.js';
import { OTHER_STORE, Stages, STORE, WORKSPACE } from '../../support/stages.js';

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

describe('a store that gets another workspace', () => {
  beforeEach(async () => {
    stages.store.put(snapshot(1), withSku(snapshot(2), null), modelSnapshot(3));
    await stages.sync();
  });

  const linkOf = async (id: number) => {
    const { workspace, catalogId } = await stages.link(id);
    return { workspace, catalogId };
  };

  it('has its products created there, with content, and changes no product that has one of their ids', async () => {
    toOtherWorkspace();
    const others = [1, 2, 3].map((id) => stages.catalog.hold({ name: `Bystander ${String(id)}` }));
    expect((await stages.link(1)).catalogId).toBe(String(others[0]?.id));
    expect((await dryRunOf(stages)).counts).toMatchObject({ creates: 3, unchanged: 0 });
    expect(await stages.sync({ full: false })).toMatchObject({
      ...{ kind: 'full', state: 'succeeded' },
      counts: { created: 3, generationRequested: 3 },
    });
    for (const other of others) expect(stages.catalog.products.get(other.id)).toEqual(other);
    for (const id of [1, 2, 3]) {
      const { externalId } = snapshot(id);
      const catalogId = String(stages.catalog.of(externalId)?.id);
      expect(await linkOf(id)).toEqual({ workspace: 'second', catalogId });
      expect(await stages.tasks.openFor(externalId)).toMatchObject({ workspace: 'second', catalogId });
    }
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { unchanged: 3 } });
  });

  it('under another name alone keeps its products and their open requests, and asks for no content again', async () => {
    const before = await Promise.all([1, 2, 3].map(linkOf));
    stages.workspaceKey = 'renamed';
    expect(await stages.sync({ full: false })).toMatchObject({
      ...{ kind: 'full', state: 'succeeded' },
      counts: { created: 0, generationRequested: 0 },
    });
    expect(await Promise.all([1, 2, 3].map(linkOf))).toEqual(
      before.map((link) => ({ ...link, workspace: 'renamed' })),
    );
    expect(await stages.tasks.countOpen('renamed')).toBe(3);
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { unchanged: 3 } });
  });

  it('is asked for no content before a run has looked for its products there', async () => {
    await stages.db.affected('DELETE FROM generation_task');
    await stages.db.affected('UPDATE store_product SET generation_due = true');
    toOtherWorkspace();
    const { signal } = new AbortController();
    const [main] = stages.connections.stores;
    const links = await Promise.all([1, 2, 3].map((id) => stages.link(id)));
    expect(await stages.generation.requestDue(main!, null, 10, signal)).toMatchObject({ requested: 0 });
    expect(await stages.generation.requestGiven(main!, links, signal)).toMatchObject({ requested: 0 });
  });
});

describe('a SKU that two stores share, when the one that has it in the catalog gets another workspace,', () => {
  const leave = async (): Promise<FakeCatalog> => {
    stages.store.put(withSku(snapshot(1), 'SHARED'));
    stages.otherStore.put(otherSnapshot(7, 'SHARED'));
    await stages.sync();
    expect((await stages.sync({ store: OTHER_STORE })).counts).toMatchObject({ created: 1, conflicted: 1 });
    const former = stages.catalog;
    toOtherWorkspace();
    await stages.sync();
    stages.workspaceKey = WORKSPACE;
    stages.catalog = former;
    expect((await stages.sync({ store: OTHER_STORE })).counts).toMatchObject({ conflicted: 1 });
    return former;
  };

  it('goes to the other one once the former catalog does not hold it any more', async () => {
    const former = await leave();
    former.products.delete(former.of(snapshot(1).externalId)?.id ?? 0);
    expect((await stages.sync({ store: OTHER_STORE })).counts).toMatchObject({ updated: 1, conflicted: 0 });
    expect(former.of(otherSnapshot(7, '').externalId)).toMatchObject({ sku: 'SHARED' });
  });

  it('stays with it when it comes back', async () => {
    const former = await leave();
    expect((await stages.sync()).counts).toMatchObject({ updated: 1, conflicted: 0 });
    expect((await stages.sync({ store: OTHER_STORE })).counts).toMatchObject({ conflicted: 1 });
    expect(former.of(snapshot(1).externalId)).toMatchObject({ sku: 'SHARED' });
  });
});
