import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { metafieldTarget, placeInTarget } from '../domain/metafield-key.js';
import { errorLine, isCoded } from '../domain/errors.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import { liveValue, type LiveValue, type SourceProduct } from '../domain/store-port.js';
import { valueHash, type WrittenField } from '../domain/written-content.js';
import { HistoryRepository, type DriftCandidate } from '../persistence/history.repository.js';
import { imageOfTarget, placeOfTarget, tagTarget } from '../domain/write-target.js';
import { reasonOutOfScope } from '../planner/scope.js';
import { writableFields } from '../planner/source.js';
import { Connections, type Store } from '../connections/connections.js';
import { catalogGaps, type LinkedProduct } from '../connections/catalog-listing.js';

export const driftFindingSchema = z.object({
  /**
   * edited: the store has a value that we do not know. overwritten: an older value, the merchant's or ours, is there again. deleted: the
   * product is gone. Unpublished: the product is no longer visible, or has another status than the filter.
   * gone_from_catalog: the catalog no longer has the product; the next full run creates it again. Unreadable: the store
   * returned malformed data.
   */
  kind: z.enum(['edited', 'overwritten', 'deleted', 'unpublished', 'gone_from_catalog', 'unreadable']),
  /** The field; null for the product as a whole. */
  target: z.string().nullable(),
  detail: z.string(),
  live: z.string().nullable(),
  /** The last written value, as the store returned it. */
  written: z.string().nullable(),
});
export type DriftFinding = z.output<typeof driftFindingSchema>;

export const driftedProductSchema = z.object({
  externalId: z.string(),
  label: z.string(),
  findings: z.array(driftFindingSchema),
});
export type DriftedProduct = z.output<typeof driftedProductSchema>;

export const driftSchema = z.object({
  store: z.string(),
  checked: z.int(),
  /** Products that a write-back is writing now, so their live value may be either text. */
  passedOver: z.int(),
  drifted: z.int(),
  /** Why products that are gone from the catalog were not looked for; null when they were. */
  catalogProblem: z.string().nullable(),
  products: z.array(driftedProductSchema),
});
export type Drift = z.output<typeof driftSchema>;

/** A linked product with the label that people know it by. */
type CatalogLink = LinkedProduct & Pick<DriftCandidate, 'label'>;

const BATCH = 50;
const NOTHING: ReadonlyMap<string, LiveValue> = new Map();

/**
 * Compares live store values with the journal (docs/architecture.md#tables), and linked products with the catalog's listing. Reads
 * only, on both sides.
 */
@Injectable()
export class DriftOperations {
  constructor(
    private readonly connections: Connections,
    private readonly history: HistoryRepository,
  ) {}

  /** Throws `not_found` for an unknown store, and the store's error when it cannot be read. */
  async look(storeKey: string, signal: AbortSignal, onProgress: (checked: number) => void): Promise<Drift> {
    const store = this.connections.namedStore(storeKey);
    const products = new Map<string, DriftedProduct>();
    const linked = new Map<string, CatalogLink>();
    let checked = 0;
    let passedOver = 0;
    for await (const batch of this.#batches(store.key, signal)) {
      const quiet = batch.filter((product) => !product.writing);
      passedOver += batch.length - quiet.length;
      for (const link of batch.flatMap(catalogLink)) linked.set(link.externalId, link);
      for (const drifted of await this.#drifted(store, quiet)) products.set(drifted.externalId, drifted);
      checked += quiet.length;
      onProgress(checked);
    }
    const { gone, problem } = await goneFromCatalog(store, linked);
    for (const { externalId, label } of gone) {
      const { findings = [] } = products.get(externalId) ?? {};
      products.set(externalId, { externalId, label, findings: [...findings, GONE_FROM_CATALOG] });
    }
    return {
      store: store.key,
      checked,
      passedOver,
      drifted: products.size,
      catalogProblem: problem,
      products: [...products.values()].sort((one, other) => (one.externalId < other.externalId ? -1 : 1)),
    };
  }

  async *#batches(storeKey: string, signal: AbortSignal): AsyncGenerator<readonly DriftCandidate[]> {
    for (let after = ''; ;) {
      signal.throwIfAborted();
      const batch = await this.history.driftCandidates(storeKey, after, BATCH);
      if (batch.length === 0) return;
      yield batch;
      after = batch.at(-1)?.externalId ?? after;
    }
  }

  async #drifted(store: Store, products: readonly DriftCandidate[]): Promise<DriftedProduct[]> {
    const live = await store.connector.readProducts(products.map((product) => product.storeId));
    const drifted: DriftedProduct[] = [];
    for (const [index, product] of products.entries()) {
      const findings = await findingsOf(store, product, live[index] ?? null);
      if (findings.length > 0) drifted.push(await this.#withTexts(product, findings));
    }
    return drifted;
  }

  /** Links have only hashes. The journal has the written texts. */
  async #withTexts(product: DriftCandidate, findings: readonly DriftFinding[]): Promise<DriftedProduct> {
    const fields = findings.filter((finding) => finding.target !== null);
    const journal = fields.length === 0 ? [] : await this.history.writeBacks(product.externalId);
    const texts = new Map(
      journal.flatMap((row) =>
        row.fields
          .filter((field) => field.outcome === 'written')
          .map((field) => [field.target, field.after] as const),
      ),
    );
    return {
      externalId: product.externalId,
      label: product.label,
      findings: findings.map((finding) =>
        finding.target === null ? finding : { ...finding, written: texts.get(finding.target) ?? null },
      ),
    };
  }
}

const GONE_FROM_CATALOG: DriftFinding = {
  kind: 'gone_from_catalog',
  target: null,
  detail: 'the catalog no longer has the product; the next full run creates it again',
  live: null,
  written: null,
};

/** The store's own drift is reported also while the catalog cannot be read. */
async function goneFromCatalog<Link extends LinkedProduct>(
  store: Store,
  linked: ReadonlyMap<string, Link>,
): Promise<{ gone: readonly Link[]; problem: string | null }> {
  try {
    const { gone, notCompared } = await catalogGaps(store.workspace.client, linked);
    return { gone, problem: notCompared };
  } catch (error) {
    if (!isCoded(error)) throw error;
    return { gone: [], problem: errorLine(error) };
  }
}

/** The link of a product that the catalog should have; empty for any other product. */
function catalogLink({ externalId, catalogId, label, state }: DriftCandidate): CatalogLink[] {
  return catalogId === null || state === 'pending' ? [] : [{ externalId, catalogId, label }];
}

async function findingsOf(
  store: Store,
  product: DriftCandidate,
  found: SourceProduct | null,
): Promise<readonly DriftFinding[]> {
  const { filter } = store.settings;
  if (found === null) return driftOf(product, null, filter);
  const current = readable(found);
  if ('problem' in current) return [current.problem];
  return driftOf(product, current, filter, await valuesBesides(store, product));
}

/** The product as it is now, or the finding that its data are malformed. */
function readable(found: SourceProduct): ProductSnapshot | { readonly problem: DriftFinding } {
  try {
    return found.snapshot();
  } catch (error) {
    const detail = `the store’s data cannot be read: ${errorLine(error)}`;
    return { problem: { kind: 'unreadable', target: null, detail, live: null, written: null } };
  }
}

/** Pure: the drift of one product under the store's filter. */
export function driftOf(
  product: Pick<DriftCandidate, 'written' | 'seenFields' | 'pushedFields'>,
  live: ProductSnapshot | null,
  filter: Pick<Store['settings']['filter'], 'status'>,
  others: ReadonlyMap<string, LiveValue> = NOTHING,
): DriftFinding[] {
  const whole = { target: null, live: null, written: null };
  if (live === null)
    return [{ ...whole, kind: 'deleted', detail: 'the product no longer exists in the store' }];
  const findings: DriftFinding[] = [];
  const outOfScope = reasonOutOfScope(live, filter);
  if (outOfScope !== null) findings.push({ ...whole, kind: 'unpublished', detail: `${outOfScope} now` });
  else if (live.url === null && product.pushedFields.url !== undefined)
    findings.push({ ...whole, kind: 'unpublished', detail: 'it has no public address any more' });
  const values = liveValues(live);
  for (const target of ourTargets(product)) {
    const written = product.written?.[target];
    const other = others.get(target);
    const isTranslation = placeOfTarget(target).locale !== null;
    // A language that cannot be read has no findings.
    if (written === undefined || (isTranslation && other === undefined)) continue;
    if (other?.closed?.why === 'unreadable') continue;
    const value = other === undefined ? values.get(target) : other.value;
    findings.push(...fieldDrift(target, value ?? null, written, product.seenFields[target]));
  }
  return findings;
}

/** Fields, metafields and translations with values that we wrote. */
function ourTargets({ written }: Pick<DriftCandidate, 'written'>): string[] {
  return Object.entries(written ?? {}).flatMap(([target, { ours }]) => (ours === null ? [] : target));
}

function fieldDrift(
  target: string,
  live: string | null,
  written: WrittenField,
  seen: string | undefined,
): DriftFinding[] {
  const hash = valueHash(live);
  if (hash === written.ours) return [];
  const found = { target, live, written: null };
  if (written.past.includes(hash))
    return [{ ...found, kind: 'overwritten', detail: 'an earlier text of ours stands there again' }];
  if (hash === valueHash(written.replaced))
    return [{ ...found, kind: 'overwritten', detail: 'the value that ours replaced stands there again' }];
  const noticed = hash === seen ? '; a run has read it and updated the catalog' : '';
  return [{ ...found, kind: 'edited', detail: `the merchant edited it after it was written${noticed}` }];
}

function liveValues(live: ProductSnapshot): Map<string, string | null> {
  const fields = Object.entries<string | null>(writableFields(live));
  const metafields = live.metafields.map((field) => [metafieldTarget(field), field.value] as const);
  const tags = live.tags.map((tag) => [tagTarget(tag), tag] as const);
  return new Map<string, string | null>([...fields, ...metafields, ...tags]);
}

/**
 * The values of the targets that a snapshot does not hold: translations, alternative texts, and metafields of variants. Only products
 * with such targets are read one by one.
 */
async function valuesBesides(
  { connector }: Store,
  product: Pick<DriftCandidate, 'storeId' | 'written'>,
): Promise<ReadonlyMap<string, LiveValue>> {
  const targets = ourTargets(product).filter(
    (target) =>
      placeOfTarget(target).locale !== null ||
      imageOfTarget(target) !== null ||
      placeInTarget(target)?.variant !== undefined,
  );
  if (targets.length === 0) return NOTHING;
  const live = await connector.readTargets(product.storeId, targets);
  if (live === null) return NOTHING;
  return new Map(targets.map((target) => [target, liveValue(live, target)]));
}
