import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../../support/e2e-world.js';
import { generateClient, type GeneratedClient } from '../../support/generated-client.js';

const IMPORTS = `
import { client } from './client/client.gen.ts';
import * as api from './client/index.ts';
client.setConfig({ baseUrl: process.argv[2], auth: process.argv[3] });
`;

/** Requests a sync, waits for its end, and reads what it did: as a person with a generated client would write it. */
const SYNC = `${IMPORTS}
const { data: requested } = await api.syncsRequest({ path: { key: 'main' }, body: { full: true }, throwOnError: true });
let run: api.Run;
do {
  await new Promise((resolve) => setTimeout(resolve, 100));
  ({ data: run } = await api.syncsShow({ path: { id: requested.id }, throwOnError: true }));
} while (run.status === 'queued' || run.status === 'running');
const { data: items } = await api.syncsItems({ path: { id: run.id }, query: { outcome: 'created' }, throwOnError: true });
const { data: products } = await api.productsList({ query: { store: 'main', limit: 10 }, throwOnError: true });
const { error } = await api.syncsShow({ path: { id: 'unknown' } });
console.log(JSON.stringify({
  status: run.status,
  created: run.counts.created,
  outcomes: items.items.map((item) => item.outcome),
  products: products.items.map((product) => product.state),
  error: error?.statusCode,
}));
`;

/** One mistake in each line. */
const WRONG = `${IMPORTS}
await api.syncsRequest({ path: { key: 'main' }, body: { full: 'yes' } });
await api.writeBacksApproveMany({});
await api.syncsItems({ path: { id: 'x' }, query: { outcome: 'lost' } });
(await api.syncsShow({ path: { id: 'x' } })).data?.colour;
`;

let world: World;
let client: GeneratedClient;
beforeAll(async () => {
  world = await World.open();
  world.store.products.create({ title: 'Plain', handle: 'plain', descriptionHtml: '<p>Plain.</p>' });
  await world.startHere();
  const answer = await fetch(`${world.url}/docs-json`);
  client = await generateClient(await answer.json());
});
afterAll(async () => {
  await client.remove();
  await world.end();
});

describe('a client that is generated from the OpenAPI document', () => {
  it('has types without errors, and refuses wrong calls: a body of another type or none, an unknown value, an unknown field', async () => {
    const errors = await client.typeErrors([SYNC, WRONG]);
    expect(errors).toHaveLength(4);
    for (const error of errors) expect(error).toContain('/program-1.ts: ');
  });

  it('requests a sync of a running daemon, and reads its result, its products and an error', async () => {
    expect(await client.run(SYNC, [world.url, world.adminToken])).toEqual({
      status: 'succeeded',
      created: 1,
      outcomes: ['created'],
      products: ['linked'],
      error: 404,
    });
  });
});
