import { describe, expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';

const STORES = Array.from({ length: 1000 }, (_, index) => `store-${String(index)}`);

async function textOf(perStore: boolean): Promise<string> {
  const metrics = new Metrics();
  metrics.perStore = perStore;
  metrics.begin(['default'], STORES);
  metrics.watch({
    backlog: () => Promise.resolve([]),
    workspaces: () => Promise.resolve([]),
    stores: () =>
      Promise.resolve(
        STORES.map((store, index) => ({
          store,
          lastSuccessSeconds: 1_000 + index,
          conflictedProducts: 2,
          pausedCode: index < 3 ? 'credentials_refused' : null,
          servedVersion: index < 2 ? '2027-01' : null,
        })),
      ),
    held: () => Promise.resolve(STORES.map((store) => ({ store, why: 'gate' as const, count: 1 }))),
    queues: () => Promise.resolve([]),
    lostJobs: () => new Map(),
    clockMs: () => 0,
    onFault: () => undefined,
  });
  return metrics.text();
}

describe('the metrics of 1,000 stores', () => {
  it('have one series each for all stores together where the settings say so', async () => {
    const text = await textOf(false);
    const labels = new Set([...text.matchAll(/store="([^"]*)"/g)].map(([, store]) => store));
    expect([...labels]).toEqual(['(all)']);
    expect(text).toContain('store_sync_last_successful_run_timestamp_seconds{store="(all)"} 1000');
    expect(text).toContain('store_sync_products_conflicted{store="(all)"} 2000');
    expect(text).toContain('store_sync_store_paused{store="(all)",code="credentials_refused"} 3');
    expect(text).toContain('store_sync_store_api_version_retired{store="(all)"} 2');
    expect(text).toContain('store_sync_write_backs_held{store="(all)",why="gate"} 1000');
  });

  it('have series for each store otherwise', async () => {
    const text = await textOf(true);
    expect(text).toContain('store_sync_products_conflicted{store="store-999"} 2');
    expect(text).toContain('store_sync_store_paused{store="store-0",code="credentials_refused"} 1');
    expect(text).toContain('store_sync_store_paused{store="store-999",code="credentials_refused"} 0');
  });
});
