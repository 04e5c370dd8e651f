import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { until, World } from '../../support/e2e-world.js';
import { StoreContract } from './subject.js';
import { openedSubjects } from './subjects.js';
import { ODD_TEXTS } from './texts.js';

type Deed =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'describe' | 'remove'; readonly slot: number; readonly text: string };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ kind: 'create' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(...(['edit', 'describe', 'remove'] as const)),
      slot: fc.nat({ max: 5 }),
      text: fc.constantFrom(...Object.values(ODD_TEXTS)),
    }),
  },
);
const night = fc.record({
  deeds: fc.array(deed, { maxLength: 4 }),
  /** What the merchant does while the run reads. */
  meanwhile: fc.array(deed, { maxLength: 2 }),
  /** What starts the run: the schedule, for the whole store or for its changes, or the store's events alone. */
  run: fc.constantFrom('full', 'changes', 'events'),
  fault: fc.constantFrom(null, 'throttle' as const, 'lose an answer' as const),
});

const NIGHTS = Number(process.env['NIGHTS'] ?? 1);
const listed = z.object({ items: z.array(z.looseObject({ state: z.string() })) });

/** The merchant's shop of a few products, by the administrator's own hands. */
class Shop {
  readonly #ids: string[] = [];
  #edits = 0;

  constructor(private readonly store: StoreContract) {}

  do(deed: Deed): void {
    const { emulator } = this.store;
    this.#edits += 1;
    if (deed.kind === 'create') {
      const [created = ''] = emulator.fill(1);
      emulator.edit(created, { title: `Product ${this.#edits}`, descriptionHtml: '<p>Good.</p>' });
      this.#ids.push(created);
      return;
    }
    const id = this.#ids[deed.slot % Math.max(1, this.#ids.length)];
    if (id === undefined) return;
    if (deed.kind === 'edit') emulator.edit(id, { title: `Edited ${this.#edits}` });
    if (deed.kind === 'describe')
      emulator.edit(id, { descriptionHtml: `${deed.text}<!-- ${this.#edits} -->` });
    if (deed.kind === 'remove') {
      emulator.remove(id);
      this.#ids.splice(this.#ids.indexOf(id), 1);
    }
  }
}

async function expectInStep(world: World, store: StoreContract): Promise<void> {
  const { ids, end } = await store.whole();
  expect(end).toEqual({ complete: true });
  const held = await world.catalogProducts();
  for (const id of ids) {
    const { externalId, title } = await store.snapshot(id);
    const [product, ...others] = held.filter(({ external_id: each }) => each === externalId);
    expect([externalId, product === undefined, others.length]).toEqual([externalId, false, 0]);
    const path = `/api/v1/write-backs?externalId=${encodeURIComponent(externalId)}`;
    const [newest] = listed.parse((await world.api('GET', path)).body).items;
    expect([externalId, newest?.state]).toEqual([
      externalId,
      expect.stringMatching(/^(?:applied|skipped|conflicted)$/),
    ]);
    if (newest?.state !== 'conflicted') expect([externalId, title]).toEqual([externalId, product?.name]);
  }
}

/** Waits until every event has arrived, and what it led to is over. Each write has an event of its own. */
async function quiet(world: World, store: StoreContract): Promise<void> {
  for (const _round of ['edits', 'echoes']) {
    await store.emulator.settle();
    await until('the end of what events led to', async () => {
      const [open] = await world.rows<{ open: boolean }>(
        `SELECT EXISTS (SELECT 1 FROM announced_product)
             OR EXISTS (SELECT 1 FROM sync_run WHERE state IN ('queued', 'running')) AS open`,
      );
      return open?.open === false ? true : null;
    });
    await world.settled();
  }
}

/** What is new in the shop is in the catalog, without a run of the schedule. */
async function expectNewInCatalog(world: World, store: StoreContract): Promise<void> {
  const held = new Set((await world.catalogProducts()).map(({ external_id: id }) => id));
  const { ids } = await store.whole();
  for (const id of ids) expect(held).toContain((await store.snapshot(id)).externalId);
}

// Only in a sandbox may a test edit whatever it meets, at any moment.
for (const { name, open } of openedSubjects({}))
  describe(`random nights over ${name}`, () => {
    it(
      'end with both sides in step, and with a night that writes nothing on either side',
      async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(night, { minLength: 1, maxLength: 4 }), async (nights) => {
            const store = new StoreContract(await open(), 5000);
            const main = {
              ...store.subject.settings,
              workspace: 'default',
              schedule: { cron: '0 0 29 2 *' },
              webhookSecret: store.emulator.webhookSecret,
              limits: { maxOrphanedShare: 1 },
              writeBack: { gates: { language: false, shrink: 0 } },
            };
            const world = await World.open({ stores: [], settings: { stores: { main } } });
            try {
              await world.startHere();
              const shop = new Shop(store);
              for (let first = 0; first < 3; first += 1) shop.do({ kind: 'create' });
              for (const { deeds, meanwhile, run: starts, fault } of nights) {
                for (const each of deeds) shop.do(each);
                if (fault === 'throttle') store.emulator.throttle();
                if (fault === 'lose an answer') store.emulator.loseAnswerOfWrite();
                const running = starts === 'events' ? null : world.requestRun({ full: starts === 'full' });
                for (const each of meanwhile) {
                  await sleep(20);
                  shop.do(each);
                }
                if (running !== null) expect((await world.endOf(await running)).status).not.toBe('failed');
                await quiet(world, store);
                if (fault === null) await expectNewInCatalog(world, store);
              }
              for (let last = 0; last < 3; last += 1) {
                await world.runToEnd();
                await quiet(world, store);
              }
              await expectInStep(world, store);
              const sides = (): unknown[] => [world.catalogWrites(), store.emulator.writes()];
              const before = sides();
              const run = await world.runToEnd();
              await quiet(world, store);
              expect([run.counts.unchanged, sides()]).toEqual([run.counts.seen, before]);
            } finally {
              await world.end();
              await store.subject.close();
            }
          }),
          // fast-check prints the seed and the path of a failure. The fixed seed makes every run of the suite the same.
          {
            seed: Number(process.env['NIGHTS_SEED'] ?? 20261127),
            numRuns: NIGHTS,
            ...(process.env['NIGHTS_PATH'] === undefined ? {} : { path: process.env['NIGHTS_PATH'] }),
            endOnFailure: true,
          },
        );
      },
      60_000 + NIGHTS * 60_000,
    );
  });
