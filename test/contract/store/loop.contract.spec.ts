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

    it('syncs the product, and its texts wait for review', async () => {
      const run = await world.runToEnd();
      expect(run).toMatchObject({ status: 'succeeded', error: null });
      await world.settled();
      const held = await world.catalogProducts();
      expect(held.map(({ external_id }) => external_id)).toContain(externalId);
      expect((await writeBacks()).map(({ state }) => state)).toEqual(['pending_review']);
      expect(await texts()).toEqual(before);
    });

    it('writes approved texts into the shop', async () => {
      const [waiting] = await writeBacks();
      expect((await world.api('POST', `/api/v1/write-backs/${waiting!.id}/approve`, {})).status).toBeLessThan(
        300,
      );
      await world.settled();
      expect((await writeBacks()).map(({ state }) => state)).toEqual(['applied']);
      expect(await texts()).not.toEqual(before);
    });

    it('does not treat its own writes as changes: a second night writes nothing on either side', async () => {
      const sides = changes();
      const run = await world.runToEnd();
      await world.settled();
      expect(run).toMatchObject({ status: 'succeeded', error: null });
      expect((await writeBacks()).map(({ state }) => state)).toEqual(['applied']);
      if (store.subject.emulator === null) return;
      expect(changes()).toEqual(sides);
      expect(run.counts.unchanged).toBe(run.counts.seen);
    });

    it('reverts what it wrote to the merchant’s texts', async () => {
      const [applied] = await writeBacks();
      expect((await world.api('POST', `/api/v1/write-backs/${applied!.id}/revert`, {})).status).toBeLessThan(
        300,
      );
      await world.settled();
      expect(await texts()).toEqual(before);
    });

    it('notices that the product was deleted for good', async () => {
      await store.subject.keeper.remove(id);
      const run = await world.runToEnd();
      expect(run).toMatchObject({ status: 'succeeded', error: null });
      expect(run.counts.orphaned).toBe(1);
    });
  });
