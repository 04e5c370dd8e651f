import { beforeAll, expect, it } from '@jest/globals';
import { StatusReader } from '../../../src/operations/status.js';
import { StatusRepository } from '../../../src/persistence/status.repository.js';
import { makeStore, Connections } from '../../../src/connections/connections.js';
import { snapshot } from '../../support/fake-store.js';
import { OTHER_STORE, Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeAll(async () => {
  await stages.reset();
});

/** The two stores of the stages, and further ones without products. */
function connectionsTo(further: number): Connections {
  const { workspaces, stores } = stages.connections;
  const [main] = stores;
  if (main === undefined) throw new Error('the stages have no store');
  const more = Array.from({ length: further }, (_, index) =>
    makeStore(`more-${String(index)}`, main.settings, main.connector, main.workspace),
  );
  return new Connections(workspaces, [...stores, ...more]);
}

async function statusOf(further: number) {
  const { db, owed, links, deliveries, state, clock } = stages;
  const reader = new StatusReader(
    connectionsTo(further),
    new StatusRepository(db),
    owed,
    links,
    deliveries,
    state,
    clock,
  );
  const { dataSource } = db;
  const create = dataSource.createQueryRunner.bind(dataSource);
  let statements = 0;
  dataSource.createQueryRunner = (...args) => {
    statements += 1;
    return create(...args);
  };
  try {
    return { status: await reader.read(), statements };
  } finally {
    dataSource.createQueryRunner = create;
  }
}

it('the status of 1,000 stores takes as many statements as that of two', async () => {
  stages.store.put(snapshot(1), snapshot(2));
  await stages.sync();
  await stages.sync();
  await stages.pauses.store.pause(OTHER_STORE, {
    scope: 'everything',
    code: 'credentials_refused',
    reason: 'the store refuses the token',
  });
  const few = await statusOf(0);
  const many = await statusOf(998);
  expect(many.statements).toBe(few.statements);
  expect(many.status.stores).toHaveLength(1000);
  expect(many.status.stores.slice(0, 2)).toEqual(few.status.stores);
  expect(few.status.stores).toMatchObject([
    {
      store: STORE,
      health: { state: 'ok' },
      products: { linked: 2 },
      tasks: { requested: 2 },
      lastRuns: [{ counts: { unchanged: 2 } }, { counts: { created: 2 } }],
    },
    {
      store: OTHER_STORE,
      health: { state: 'paused', code: 'credentials_refused', reason: 'the store refuses the token' },
      products: {},
      lastRuns: [],
    },
  ]);
  expect(many.status.stores.at(-1)).toMatchObject({
    store: 'more-997',
    health: { state: 'ok' },
    owed: { count: 0 },
    held: { limits: { maxWritesPerRun: 0, maxWritesPerDay: 0 }, gates: {} },
    unsuccessful: [],
  });
});
