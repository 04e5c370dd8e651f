import { expect, it } from '@jest/globals';
import { GenerationPages } from './generation.pages.js';

/** Products `north:1`, `south:1` and so on, of the store that their id names. */
const products = {
  link: (externalId: string) => {
    const [store] = externalId.split(':');
    return Promise.resolve({ externalId, store, storeId: '1', label: externalId, catalogId: '1' });
  },
};
const requested: string[][] = [];
const again = {
  request: (store: string, ids: string[]) => {
    requested.push([store, ...ids]);
    return Promise.resolve('Content was requested.');
  },
};
const visit = { goTo: (url: string) => Promise.resolve({ url }) };

function pages(): GenerationPages {
  const parts = [products, again, {}, {}] as unknown as ConstructorParameters<typeof GenerationPages>;
  return new GenerationPages(...parts);
}
type Visit = Parameters<GenerationPages['generate']>[1];

it('refuses products of several stores, in place of leaving some out without a word', async () => {
  const chosen = ['north:1', 'south:1', 'north:2'];
  await expect(pages().question(undefined, { id: chosen }, visit as unknown as Visit)).rejects.toThrow(
    'these products are of the stores north and south: choose those of one store',
  );
  await expect(pages().generate({ id: chosen }, visit as unknown as Visit)).rejects.toThrow(
    'north and south',
  );
  expect(requested).toEqual([]);
});
