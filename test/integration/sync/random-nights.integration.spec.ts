import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { parseExternalId } from '../../../src/domain/external-id.js';
import { foldedIdentifier } from '../../../src/domain/identifier-text.js';
import type { ProductSnapshot } from '../../../src/domain/snapshot.js';
import type { CatalogReadings } from '../../../src/sandbox/catalog/readings.js';
import { identifiersOf, toCatalogBody } from '../../../src/planner/map-to-catalog.js';
import { modelSnapshot, snapshot, withSku } from '../../support/fake-store.js';
import type { TimedSnapshot } from '../../support/product-snapshots.js';
import { deliver, writeAll } from '../../support/results.js';
import { SandboxCatalog, type HeldProduct } from '../../support/sandbox-stages.js';
import { Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();

const SKUS = ['A', 'B', 'C', 'D', 'a ', '\u00a0B', ' ', 'FOREIGN-1', 'foreign-2'];

type Deed =
  | {
      readonly kind: 'edit' | 'delete' | 'reimport' | 'lose variant' | 'delete in the catalog' | 'take over';
      readonly slot: number;
    }
  | {
      readonly kind: 'standalone' | 'model';
      readonly slot: number;
      readonly skus: readonly (string | null)[];
    };

const sku = fc.option(fc.constantFrom(...SKUS), { nil: null });
const slot = fc.nat({ max: 3 });
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    kind: fc.constantFrom(
      ...(['edit', 'delete', 'reimport', 'lose variant', 'delete in the catalog', 'take over'] as const),
    ),
    slot,
  }),
  fc.record({ kind: fc.constant('standalone' as const), slot, skus: fc.tuple(sku) }),
  fc.record({ kind: fc.constant('model' as const), slot, skus: fc.tuple(sku, sku) }),
);
const night = fc.record({
  deeds: fc.array(deed, { maxLength: 4 }),
  full: fc.boolean(),
  /** Whether the deliveries of the night's results are received; polls have to find what is lost. */
  received: fc.boolean(),
  /** Whether the app may read the shop's translations. */
  readable: fc.boolean(),
  /** The worker is cut off after the catalog answered so many requests, and another one takes the run up. */
  cutOff: fc.option(fc.nat({ max: 4 }), { nil: null }),
});
const readings: fc.Arbitrary<Partial<CatalogReadings>> = fc.record({
  postMatchesVariants: fc.boolean(),
  patchVariants: fc.constantFrom('merge' as const, 'replace' as const),
  patchObjects: fc.constantFrom('merge' as const, 'replace' as const),
  variantsPath: fc.constantFrom('read-write' as const, 'read-only' as const),
  matchOrder: fc.constantFrom(
    ['external_id', 'barcode', 'sku', 'mpn', 'asin'] as const,
    ['sku', 'barcode', 'mpn', 'asin', 'external_id'] as const,
  ),
  clearing: fc.constantFrom(...(['both', 'null', 'blank', 'ignored-null'] as const)),
  patchLocale: fc.constantFrom('honoured' as const, 'ignored' as const),
  missingLocale: fc.constantFrom('default' as const, 'empty' as const, 'not-found' as const),
  tasks: fc.constantFrom('readable' as const, 'forbidden' as const),
  identifiers: fc.constantFrom('exact' as const, 'normalised' as const),
});
const world = fc.record({
  /** The language of the workspace: the service's own, or another. */
  locale: fc.constantFrom(undefined, 'fr'),
  /** Whether a delivery names the id of the request, which may cover several products, or the product's own. */
  sharesTaskIds: fc.boolean(),
  /** How far the service's clock is ahead of ours. */
  skewMinutes: fc.constantFrom(0, -3, 3, 60 * 24 * 365),
});
type World = typeof world extends fc.Arbitrary<infer Drawn> ? Drawn : never;
/** A further language, in which the merchant has a title of each product. */
const FURTHER = 'de';

type Night = typeof night extends fc.Arbitrary<infer Drawn> ? Drawn : never;
const QUIET = { full: true, received: true, readable: true, cutOff: null };
const FIRST: readonly Deed[] = [
  { kind: 'standalone', slot: 0, skus: ['a '] },
  { kind: 'standalone', slot: 1, skus: ['B'] },
  { kind: 'model', slot: 2, skus: ['C', 'FOREIGN-1'] },
];
const deeds = (
  ...each: readonly (readonly [Exclude<Deed['kind'], 'standalone' | 'model'>, number])[]
): Deed[] => each.map(([kind, place]) => ({ kind, slot: place }));
/** Nights that are always among those tried: each kind of trouble at least once. */
const HARD_NIGHTS: [Partial<CatalogReadings>, World, Night[]] = [
  { identifiers: 'normalised', patchVariants: 'replace', tasks: 'readable' },
  { locale: undefined, sharesTaskIds: true, skewMinutes: 3 },
  [
    { ...QUIET, deeds: [...FIRST] },
    {
      ...QUIET,
      deeds: deeds(['take over', 0], ['edit', 0], ['edit', 1], ['lose variant', 2]),
      readable: false,
      cutOff: 2,
    },
    {
      ...QUIET,
      deeds: deeds(['delete', 0], ['reimport', 1], ['delete in the catalog', 2]),
      received: false,
      readable: false,
    },
  ],
];

/** The shop: four places for products, each of which may be deleted and filled again under another id. */
class Shop {
  readonly #ids = [1, 2, 3, 4];
  #next = 5;
  #edits = 0;
  /** What another system took over: the catalog id of each, and the identifiers that it has since. */
  readonly taken = new Map<number, Pick<HeldProduct, 'external_id' | 'sku' | 'barcode'>>();

  async do(catalog: SandboxCatalog, { kind, slot: place, ...rest }: Deed): Promise<void> {
    const id = this.#ids[place] ?? 1;
    const present = stages.store.products.get(String(id));
    const skus = 'skus' in rest ? rest.skus : [];
    this.#edits += 1;
    if (kind === 'standalone') this.#put(withSku(withTextsOf(present, snapshot(id)), skus[0] ?? null));
    if (kind === 'model') this.#put(withTextsOf(present, model(id, skus)));
    if (kind === 'delete in the catalog') await deleteInCatalog(catalog, snapshot(id).externalId);
    if (kind === 'take over') await this.#takeOver(catalog, snapshot(id).externalId);
    if (present === undefined) return;
    if (kind === 'edit') this.#put({ ...present, vendor: `Vendor ${String(this.#edits)}` });
    if (kind === 'delete') stages.store.products.delete(String(id));
    if (kind === 'lose variant' && present.variants.length > 1)
      this.#put({ ...present, variants: present.variants.slice(0, -1) });
    if (kind === 'reimport') this.#reimport(place, id, present);
  }

  /** The same product under a new id, as an import does that deletes and creates. */
  #reimport(place: number, id: number, present: TimedSnapshot): void {
    stages.store.products.delete(String(id));
    const renewed = this.#next++;
    this.#ids[place] = renewed;
    const skus = present.variants.map((variant) => variant.sku);
    this.#put(
      present.hasOnlyDefaultVariant ? withSku(snapshot(renewed), skus[0] ?? null) : model(renewed, skus),
    );
  }

  /** Another system's POST matches our product by its SKU, and names the product as its own. */
  async #takeOver(catalog: SandboxCatalog, externalId: string): Promise<void> {
    const held = await catalog.of(externalId);
    if (held?.sku == null) return;
    const theirs = `erp:taken:${String(this.#edits)}`;
    await catalog.client.upsertProduct({ sku: held.sku, external_id: theirs }, { locale: null });
    const taken = await catalog.of(theirs);
    // Where the external_id decides a match, another product may have been meant.
    if (taken !== undefined) this.taken.set(taken.id, identityOf(taken));
  }

  #put(product: ProductSnapshot): void {
    const id = String(parseExternalId(product.externalId)?.productId);
    if (stages.store.translation(id, `${FURTHER}:title`) === undefined)
      stages.store.translate(id, `${FURTHER}:title`, `Produkt ${id}`);
    stages.store.put({ ...product, updatedAt: stages.clock.now() });
  }
}

/** A merchant who changes the variants of a product leaves its texts as they are. */
function withTextsOf(present: ProductSnapshot | undefined, product: TimedSnapshot): TimedSnapshot {
  if (present === undefined) return product;
  const { title, descriptionHtml } = present;
  return { ...product, title, descriptionHtml };
}

function identityOf({
  external_id,
  sku,
  barcode,
}: HeldProduct): Pick<HeldProduct, 'external_id' | 'sku' | 'barcode'> {
  return { external_id, sku, barcode };
}

/** A person deletes the product in the service. */
async function deleteInCatalog(catalog: SandboxCatalog, externalId: string): Promise<void> {
  for (const { id, external_id: held } of await catalog.all())
    if (held === externalId) await catalog.client.deleteProduct(String(id));
}

function model(id: number, skus: readonly (string | null)[]): TimedSnapshot {
  const shape = modelSnapshot(id);
  return {
    ...shape,
    variants: shape.variants.map((variant, index) => ({ ...variant, sku: skus[index] ?? null })),
  };
}

/** Works the run; when it is cut off, the next worker takes it up. */
async function workNight(catalog: SandboxCatalog, full: boolean, cutOff: number | null): Promise<void> {
  const { id } = await stages.requests.request({ store: STORE, full, trigger: 'command' });
  if (cutOff !== null) {
    const stop = new AbortController();
    catalog.afterRequests(cutOff, () => {
      stop.abort(new Error('cut off'));
    });
    await stages.work(id, stop.signal);
  }
  const run = await stages.runs.get(id);
  if (run?.state === 'queued') await stages.work(id);
}

const NIGHTS = Number(process.env['NIGHTS'] ?? 2);

const openTasks = async (): Promise<number> => (await stages.tasks.countByState(STORE))['requested'] ?? 0;

/** A delivery as a service of this world sends it. */
async function ofWorld(body: Buffer, { sharesTaskIds, skewMinutes }: World): Promise<Buffer> {
  const { task, ...rest } = deliveryBody.parse(JSON.parse(body.toString()));
  const asked = await stages.tasks.newest(rest.product?.external_id ?? '');
  const shared = sharesTaskIds && asked?.taskIsShared === true ? asked.taskId : null;
  const skewed = (time: string): string =>
    new Date(new Date(time).getTime() + skewMinutes * 60_000).toISOString();
  const dates = { created_at: skewed(task.created_at), updated_at: skewed(task.updated_at) };
  return Buffer.from(JSON.stringify({ ...rest, task: { ...task, ...dates, id: shared ?? task.id } }));
}

const deliveryBody = z.looseObject({
  task: z.looseObject({ id: z.string(), created_at: z.string(), updated_at: z.string() }),
  product: z.looseObject({ external_id: z.string().nullish() }).nullish(),
});

/** The results of a night: received, or lost. Intended write-backs are written. */
async function takeResults(catalog: SandboxCatalog, received: boolean, world: World): Promise<void> {
  for (const body of catalog.takeDeliveries())
    if (received) await deliver(stages, await ofWorld(body, world));
  await writeAll(stages);
}

/** Polls until no task is open, or nothing more comes; then everything that arrived is written. */
async function pollResults(rounds: number): Promise<void> {
  for (let round = 0; round < rounds && (await openTasks()) > 0; round += 1) {
    await stages.db.affected(`UPDATE generation_task SET next_poll_at = now() WHERE state = 'requested'`);
    for (const id of await stages.poller.pollDue(stages.workspace, 100))
      await stages.interpreter.interpret(id);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  for (const id of await stages.poller.sweepResults(stages.workspace)) await stages.interpreter.interpret(id);
  await writeAll(stages);
}

/** The store shows the newest content that the catalog holds in the workspace's language. */
async function expectContentInStore(catalog: SandboxCatalog): Promise<void> {
  const owed = new Set((await stages.owed.page(STORE, '', 100)).map((row) => row.externalId));
  for (const product of stages.store.products.values()) {
    const link = await stages.links.get(product.externalId);
    if (owed.has(product.externalId) || link?.catalogId == null) continue;
    const { name } = await catalog.client.getProduct(link.catalogId);
    // A product that came back with the merchant's own text keeps it: the newest result is a conflict, which says so.
    const newest = (await stages.writeBacks.forProduct(product.externalId)).at(-1);
    if (newest?.state === 'conflicted') continue;
    expect([product.externalId, product.title]).toEqual([product.externalId, name]);
  }
}

/** The merchant's text of the further language is in the store and in the catalog, generated or not, although some nights could not read it. */
async function expectFurtherLanguage(catalog: SandboxCatalog): Promise<void> {
  const owed = new Set((await stages.owed.page(STORE, '', 100)).map((row) => row.externalId));
  for (const [id, product] of stages.store.products) {
    const text = stages.store.translation(id, `${FURTHER}:title`);
    expect(text).toContain(`Produkt ${id}`);
    const link = await stages.links.get(product.externalId);
    if (owed.has(product.externalId) || link?.catalogId == null) continue;
    const { name } = await catalog.client.getProduct(link.catalogId, { locale: FURTHER });
    expect(name).toContain(`Produkt ${id}`);
  }
}

/** The SKUs, folded, that the catalog should hold of a product, unless one is withheld: value by the external_id that has it. */
function wantedSkus(product: ProductSnapshot): [string, string][] {
  const body = toCatalogBody(product, stages.connections.store(STORE).rules);
  return identifiersOf(body)
    .filter(({ kind }) => kind === 'sku')
    .map(({ owner, value }) => [owner, foldedIdentifier(value)]);
}

async function expectInStep(catalog: SandboxCatalog, foreign: readonly HeldProduct[]): Promise<void> {
  const held = await catalog.all();
  for (const before of foreign) expect(held.find(({ id }) => id === before.id)).toEqual(before);
  const owed = new Map((await stages.owed.page(STORE, '', 100)).map((row) => [row.externalId, row.code]));
  for (const product of stages.store.products.values()) {
    const copies = held.filter((each) => each.external_id === product.externalId);
    const code = owed.get(product.externalId);
    if (code !== undefined) continue; // Named as owed, with its reason.
    expect(copies).toHaveLength(1);
    const link = await stages.links.get(product.externalId);
    const withheld = new Set(
      (link?.withheld ?? []).map(({ owner, value }) => `${owner} ${foldedIdentifier(value)}`),
    );
    const skus = new Map(
      [copies[0], ...(copies[0]?.variants ?? [])].map((each) => [
        each?.external_id ?? '',
        foldedIdentifier(each?.sku ?? ''),
      ]),
    );
    for (const [owner, value] of wantedSkus(product))
      expect([owner, skus.get(owner) ?? '']).toEqual([owner, withheld.has(`${owner} ${value}`) ? '' : value]);
  }
}

/** A SKU that only one product has, in the shop and in the catalog, must not stay withheld. */
async function expectNothingWithheldInVain(taken: readonly string[]): Promise<void> {
  const theirs = new Set(taken.map(foldedIdentifier));
  const counts = new Map<string, number>();
  for (const product of stages.store.products.values())
    for (const [, value] of wantedSkus(product)) counts.set(value, (counts.get(value) ?? 0) + 1);
  for (const product of stages.store.products.values()) {
    const link = await stages.links.get(product.externalId);
    for (const { value } of link?.withheld ?? [])
      expect([
        value,
        /^foreign/i.test(value) ||
          theirs.has(foldedIdentifier(value)) ||
          (counts.get(foldedIdentifier(value)) ?? 0) > 1,
      ]).toEqual([value, true]);
  }
}

it(
  'random nights under random readings end with both sides in step, and change no foreign product',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        readings,
        world,
        fc.array(night, { minLength: 1, maxLength: 4 }),
        async (reading, drawn, nights) => {
          const { locale: language } = drawn;
          await stages.reset();
          stages.settings = {
            store: { writeBack: { locales: [FURTHER], gates: { language: false, shrink: 0 } } },
            workspace: language === undefined ? {} : { locale: language },
          };
          const catalog = await SandboxCatalog.open(stages, reading, { locale: language });
          try {
            await catalog.receiveDeliveries();
            await catalog.hold({ external_id: 'erp:1', name: 'Foreign', sku: 'FOREIGN-1' });
            await catalog.hold({
              external_id: 'erp:2',
              name: 'Foreign model',
              variants: [{ external_id: 'erp:2:a', name: 'A', sku: 'FOREIGN-2' }],
            });
            const foreign = await catalog.all();
            const shop = new Shop();
            stages.store.sourceLocales = [FURTHER];
            for (const { deeds, full, cutOff, received, readable } of nights) {
              stages.store.refusesTranslations = !readable;
              for (const each of deeds) await shop.do(catalog, each);
              await workNight(catalog, full, cutOff);
              await takeResults(catalog, received, drawn);
            }
            stages.store.refusesTranslations = false;
            for (let quiet = 0; quiet < 3; quiet += 1) {
              await workNight(catalog, true, null);
              await pollResults(reading.tasks === 'readable' ? 40 : 8);
            }
            await expectInStep(catalog, foreign);
            for (const held of await catalog.all())
              expect(identityOf(held)).toEqual(shop.taken.get(held.id) ?? identityOf(held));
            for (const id of shop.taken.keys()) await catalog.client.getProduct(id, { locale: null });
            await expectContentInStore(catalog);
            await expectFurtherLanguage(catalog);
            // Where tasks cannot be read, a result with the earlier text again looks like none.
            if (reading.tasks === 'readable') expect(await openTasks()).toBe(0);
            await expectNothingWithheldInVain([...shop.taken.values()].map(({ sku }) => sku ?? ''));
          } finally {
            await catalog.close();
          }
        },
      ),
      // fast-check prints the seed and the path of a failure. Each night is seconds of work, so the number of runs stays small.
      // NIGHTS_PATH repeats the one that failed, and NIGHTS_SEED tries other nights. The fixed seed makes every run of the suite the same.
      {
        seed: Number(process.env['NIGHTS_SEED'] ?? 20261122),
        numRuns: NIGHTS,
        examples: [HARD_NIGHTS],
        ...(process.env['NIGHTS_PATH'] === undefined ? {} : { path: process.env['NIGHTS_PATH'] }),
        endOnFailure: true,
      },
    );
  },
  60_000 + NIGHTS * 30_000,
);
