import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { World } from '../../support/e2e-world.js';
import { StoreContract } from './subject.js';
import { openedSubjects } from './subjects.js';

const FIELDS = { name: 'title', html_description: 'descriptionHtml' };
const listed = z.object({ items: z.array(z.looseObject({ id: z.string(), state: z.string() })) });

// The catalog is a sandbox. Whatever the shop has besides, only texts of products that the suite made are approved and written.
for (const { name, open } of openedSubjects(process.env))
  describe(`the whole loop of ${name}`, () => {
    let store: StoreContract;
    let world: World;
    let id: string;
    let externalId: string;
    let before: readonly (string | null)[];

    const texts = async (): Promise<readonly (string | null)[]> => {
      const { title, descriptionHtml } = await store.snapshot(id);
      return [title, descriptionHtml];
    };
    const writeBacks = async (): Promise<z.output<typeof listed>['items']> => {
      const { body } = await world.api(
        'GET',
        `/api/v1/write-backs?externalId=${encodeURIComponent(externalId)}`,
      );
      return listed.parse(body).items;
    };
    const decide = async (action: 'approve' | 'revert'): Promise<void> => {
      const [only] = await writeBacks();
      const { status } = await world.api('POST', `/api/v1/write-backs/${only!.id}/${action}`, {});
      expect(status).toBeLessThan(300);
      await world.settled();
    };
    const changes = (): readonly unknown[] => [
      world.catalogWrites().length,
      store.subject.emulator?.writes(),
    ];

    beforeAll(async () => {
      const subject = await open();
      store = new StoreContract(subject, 60_000);
      id = await store.create({
        title: store.unique('Oak chair'),
        descriptionHtml: '<p>A chair of oak.</p>',
      });
      ({ externalId } = await store.snapshot(id));
      before = await texts();
      const main = {
        ...subject.settings,
        workspace: 'default',
        limits: { maxOrphanedShare: 1 },
        schedule: { cron: '0 0 29 2 *' },
        writeBack: { mode: 'review', fields: FIELDS },
      };
      world = await World.open({ stores: [], settings: { stores: { main } } });
      await world.startHere();
    });
    afterAll(async () => {
      await world.end();
      const left = await store.cleanUp();
      await store.subject.close();
      expect(left).toEqual([]);
    });

    it('writes texts that were approved, which are no change to the next run, puts the merchant’s back by a revert, and notices that the product is deleted', async () => {
      expect(await world.runToEnd()).toMatchObject({ status: 'succeeded', error: null });
      await world.settled();
      const held = await world.catalogProducts();
      expect(held.map(({ external_id }) => external_id)).toContain(externalId);
      expect((await writeBacks()).map(({ state }) => state)).toEqual(['pending_review']);
      expect(await texts()).toEqual(before);

      await decide('approve');
      expect((await writeBacks()).map(({ state }) => state)).toEqual(['applied']);
      expect(await texts()).not.toEqual(before);

      const sides = changes();
      const second = await world.runToEnd();
      await world.settled();
      expect(second).toMatchObject({ status: 'succeeded', error: null });
      expect((await writeBacks()).map(({ state }) => state)).toEqual(['applied']);
      // Others may change a shop that is no sandbox at the same time.
      if (store.subject.emulator !== null) {
        expect(changes()).toEqual(sides);
        expect(second.counts.unchanged).toBe(second.counts.seen);
      }

      await decide('revert');
      expect(await texts()).toEqual(before);

      await store.subject.keeper.remove(id);
      const last = await world.runToEnd();
      expect(last).toMatchObject({ status: 'succeeded', error: null, counts: { orphaned: 1 } });
    });
  });
