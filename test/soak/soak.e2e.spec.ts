import { describe, expect, it } from '@jest/globals';
import { redisAvailable } from '../support/redis.js';
import { runSoak } from './soak.js';

(redisAvailable() ? describe : describe.skip)(
  '100 deliveries to three replicas with clocks that are wrong',
  () => {
    it('are neither lost nor doubled when replicas die, lose their database, and Redis loses its data', async () => {
      const report = await runSoak({
        replicas: 3,
        redis: true,
        database: { cluster: 'replica-soak' },
        stores: 3,
        cron: (index) => `${String(index * 5)}/20 * * * * *`,
        deliveries: 100,
        kills: 2,
        redisKills: 1,
        databaseCrashes: 1,
        partitions: 1,
        partitionMs: 3_000,
        // A connection that stays silent costs the two minutes that a statement has.
        cutShare: 1,
        skewMs: 120_000,
        seed: 20_263,
        log: () => undefined,
      });
      const { lost, doubled, refused, broken, unheld } = report;
      expect({ lost, doubled, refused, broken, unheld }).toEqual({
        lost: [],
        doubled: [],
        refused: [],
        broken: [],
        unheld: [],
      });
      expect(report.counts['deliveries']).toBe(100);
      expect(report.writes).toBeGreaterThan(0);
      expect(report.slots).toBeGreaterThan(0);
    });
  },
);
