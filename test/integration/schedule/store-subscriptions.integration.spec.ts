import { beforeEach, describe, expect, it } from '@jest/globals';
import { StoreSubscriptions } from '../../../src/connections/store-subscriptions.js';
import { Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.settings = { store: { webhookSecret: 'a secret of the store' }, workspace: {} };
});

const keptAt = async (publicUrl: string): Promise<readonly string[]> => {
  stages.store.script.forget();
  const subscriptions = new StoreSubscriptions(stages.state, { server: { publicUrl } });
  await subscriptions.keep(stages.connections.store(STORE));
  return stages.store.script.calls.map(({ operation, args }) => `${operation} ${String(args[0])}`);
};
const addressAt = (host: string): string => `https://${host}/webhooks/shopify/${STORE}`;

describe('the subscriptions to the events of a store', () => {
  it('at the old address end when publicUrl changes', async () => {
    const [old, next] = [addressAt('old.example.com'), addressAt('new.example.com')];
    expect(await keptAt('https://old.example.com')).toEqual([`ensureSubscriptions ${old}`]);
    expect(await keptAt('https://old.example.com/')).toEqual([`ensureSubscriptions ${old}`]);
    expect(await keptAt('https://new.example.com')).toEqual([
      `ensureSubscriptions ${next}`,
      `removeSubscriptions ${old}`,
    ]);
    expect(await keptAt('https://new.example.com')).toEqual([`ensureSubscriptions ${next}`]);
  });

  it('at the old address end later when the store does not answer at first', async () => {
    await keptAt('https://old.example.com');
    stages.store.script.before('removeSubscriptions', () => {
      throw new Error('no answer');
    });
    await expect(keptAt('https://new.example.com')).rejects.toThrow('no answer');
    expect(await keptAt('https://new.example.com')).toContain(
      `removeSubscriptions ${addressAt('old.example.com')}`,
    );
  });
});
