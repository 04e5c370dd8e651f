import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  linkOf,
  live,
  rules,
  snapshot,
  writeBackSettings,
  type LiveMetafield,
  NO_DEFINITIONS,
  NO_OTHER_OWNERS,
} from '../../test/support/product-builders.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import { afterWrite, effectiveValue, type WrittenContent } from '../domain/written-content.js';
import { intendedValues, type GeneratedProduct } from './generated-content.js';
import { resolveIdentity } from './identity.js';
import { generatedCatalogFields } from './generated-fields.js';
import { planProduct, type LinkView, type PlannedChange } from './plan-product.js';
import type { FieldDecision } from './field-verdict.js';
import { decideFields } from './plan-write-back.js';

const under = rules();
const generatedFields = generatedCatalogFields(writeBackSettings.fields);
/** Starts every generated text, and none of the merchant's. */
const GENERATED = 'Generated';

type WrittenTo = 'title' | 'descriptionHtml';
type Edited = WrittenTo | 'vendor';
type Content = Record<Edited, string | null>;

type Edit =
  | { readonly kind: 'set'; readonly field: Edited; readonly text: string | null }
  /** The merchant restores our last text. */
  | { readonly kind: 'restore'; readonly field: WrittenTo };

/**
 * One product in two versions. One is moved only by the planner's functions: store, link and journal. The other is a
 * model that knows who wrote each text, and so predicts the correct result.
 */
class Product {
  readonly #live: Content = { title: 'Bottle', descriptionHtml: '<p>Holds a litre.</p>', vendor: 'Acme' };
  #metafields: LiveMetafield[] = [];
  #link: LinkView | null = null;
  #seen: Readonly<Record<string, string>> = {};
  #revision = 0;

  readonly #meant: Content = { ...this.#live };
  #sent: Content | null = null;
  #liveWhenSent: Content | null = null;
  /** Our last text of a field, the merchant's meaning when it was written, and whether the merchant has restored it. */
  readonly #ours = new Map<WrittenTo, { text: string; stoodFor: string | null; isMerchants: boolean }>();

  edit(edit: Edit): void {
    if (edit.kind === 'set') {
      const text = edit.field === 'title' ? (edit.text ?? 'Untitled') : edit.text;
      if (this.#live[edit.field] === text) return;
      this.#live[edit.field] = text;
      this.#meant[edit.field] = text;
      const ours = edit.field === 'vendor' ? undefined : this.#ours.get(edit.field);
      if (ours) ours.isMerchants = true;
      return;
    }
    const ours = this.#ours.get(edit.field);
    if (!ours) return;
    this.#live[edit.field] = ours.text;
    this.#meant[edit.field] = ours.stoodFor;
    ours.isMerchants = false;
  }

  #read(): ProductSnapshot {
    const { title, descriptionHtml, vendor } = this.#live;
    return snapshot({ title: title ?? '', descriptionHtml, vendor, metafields: this.#metafields });
  }

  #changed(): Edited[] {
    const fields: Edited[] = ['title', 'descriptionHtml', 'vendor'];
    return fields.filter((field) => this.#sent?.[field] !== this.#meant[field]);
  }

  /** Plans like a run, and proves that the plan equals the real change; null when nothing changed. */
  plan(): PlannedChange | null {
    const planned = planProduct(this.#read(), this.#link, under, generatedFields);
    const resolved =
      planned.kind === 'unchanged' || planned.kind === 'put_off'
        ? null
        : resolveIdentity(planned, this.#link, NO_OTHER_OWNERS, generatedFields);
    const change = resolved?.kind === 'change' ? resolved.change : null;
    const changed = this.#changed();
    expect(change !== null).toBe(changed.length > 0);
    expect(JSON.stringify(change?.body ?? {})).not.toContain(GENERATED);
    if (change !== null) {
      expect(change.kind).toBe(this.#sent === null ? 'create' : 'update');
      expect(change.wantsGeneration).toBe(this.#sent === null || changed.includes('vendor'));
      expect(change.body).toMatchObject({ name: this.#meant.title });
    }
    return change;
  }

  apply(change: PlannedChange): void {
    const written = this.#link?.written ?? null;
    this.#link = linkOf(this.#read(), { written, sourceFingerprint: change.sourceFingerprint }, under);
    this.#seen = change.seen;
    this.#sent = { ...this.#meant };
    this.#liveWhenSent = { ...this.#live };
  }

  generate(): GeneratedProduct {
    this.#revision += 1;
    const of = `${String(this.#meant.title)} by ${String(this.#meant.vendor)}, revision ${String(this.#revision)}`;
    return {
      name: `${GENERATED} ${of}`,
      html_description: `<p>${GENERATED}<br />text of ${of}</p>`,
      sections: [{ Material: `${GENERATED} ${of}` }],
    };
  }

  /** Writes a result back like the writer; returns the written targets. */
  writeBack(result: GeneratedProduct): string[] {
    const expected = this.#writable();
    const toWrite = this.#decide(result).filter(({ verdict }) => verdict === 'write');
    for (const decision of toWrite) this.#store(decision);
    expect(toWrite.map(({ target }) => target)).toEqual(expected);
    expect(this.#decide(result).filter(({ verdict }) => verdict === 'write')).toEqual([]);
    return toWrite.map(({ target }) => target);
  }

  #writable(): string[] {
    const fields: WrittenTo[] = ['title', 'descriptionHtml'];
    const free = fields.filter((field) => {
      const ours = this.#ours.get(field);
      return ours ? !ours.isMerchants : this.#live[field] === this.#liveWhenSent?.[field];
    });
    return [...free, 'metafield:catalog.material'];
  }

  #decide(result: GeneratedProduct): FieldDecision[] {
    return decideFields(intendedValues(result, writeBackSettings), live(this.#live, this.#metafields), {
      seen: this.#seen,
      written: this.#link?.written ?? {},
      pushedValues: this.#link?.pushedFields ?? {},
      onConflict: 'skip',
      released: false,
      sentBefore: {},
      newerTargets: new Set(),
      isMapped: () => true,
      keep: ['img', 'iframe', 'video', 'table'],
      pictureHosts: [],
      definitions: NO_DEFINITIONS,
      categories: new Map(),
    });
  }

  #store({ target, value, before, type }: FieldDecision): void {
    const stored = normalised(target, value);
    if (this.#link === null) throw new Error('only a linked product is written');
    const written: WrittenContent = this.#link.written ?? {};
    const entry = afterWrite(written[target], stored, effectiveValue(before, written[target]));
    this.#link = { ...this.#link, written: { ...written, [target]: entry } };
    if (target === 'title' || target === 'descriptionHtml') {
      this.#live[target] = stored;
      this.#ours.set(target, { text: stored, stoodFor: this.#meant[target], isMerchants: false });
      expect(entry.replaced).toBe(this.#meant[target]);
    } else {
      this.#metafields = [
        { namespace: 'catalog', key: 'material', type: type ?? '', value: stored, digest: stored },
      ];
    }
  }
}

/** A store normalises HTML, so the stored value differs from the sent one. */
function normalised(target: string, value: string): string {
  return target === 'descriptionHtml' ? `${value.replaceAll('<br />', '<br>')}\n` : value;
}

const PRODUCTS = 4;

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    kind: fc.constant('set' as const),
    field: fc.constantFrom<Edited>('title', 'descriptionHtml', 'vendor'),
    text: fc.option(fc.constantFrom('one', 'two', '<p>three</p>', 'four &amp; five')),
  }),
  fc.record({
    kind: fc.constant('restore' as const),
    field: fc.constantFrom<WrittenTo>('title', 'descriptionHtml'),
  }),
);

const edits = fc.array(fc.tuple(fc.nat(PRODUCTS - 1), edit), { maxLength: 3 });

/**
 * The events of a night: edits before the run, edits between the read and the results, and results requested by hand.
 */
const night = fc.record({
  before: edits,
  meanwhile: edits,
  byHand: fc.uniqueArray(fc.nat(PRODUCTS - 1), { maxLength: 2 }),
});

type Night = typeof night extends fc.Arbitrary<infer T> ? T : never;

function livesThrough(
  products: readonly Product[],
  { before, meanwhile, byHand }: Night,
): { sent: number; written: number } {
  for (const [index, each] of before) products[index]?.edit(each);
  const asked = new Set(byHand.map((index) => products[index]));
  let sent = 0;
  for (const product of products) {
    const change = product.plan();
    if (change === null) continue;
    product.apply(change);
    sent += 1;
    if (change.wantsGeneration) asked.add(product);
    expect(product.plan()).toBeNull();
  }
  const results = products
    .filter((product) => asked.has(product))
    .map((product) => ({ product, result: product.generate() }));
  for (const [index, each] of meanwhile) products[index]?.edit(each);
  let written = 0;
  for (const { product, result } of results) written += product.writeBack(result).length;
  for (const product of products) product.plan();
  return { sent, written };
}

function newProducts(): Product[] {
  return Array.from({ length: PRODUCTS }, () => new Product());
}

const quiet: Night = { before: [], meanwhile: [], byHand: [] };

describe('ten nights in a row', () => {
  it('with merchants’ edits and generations send only real changes to the catalog, and write only our own texts to the store', () => {
    fc.assert(
      fc.property(fc.array(night, { minLength: 10, maxLength: 10 }), (nights) => {
        const products = newProducts();
        for (const each of nights) livesThrough(products, each);
      }),
      { numRuns: 8 },
    );
  });

  it('in which nothing happens cost one creation and one write-back of each product, on the first', () => {
    const products = newProducts();
    const costs = Array.from({ length: 10 }, () => livesThrough(products, quiet));
    expect(costs[0]).toEqual({ sent: PRODUCTS, written: 3 * PRODUCTS });
    for (const cost of costs.slice(1)) expect(cost).toEqual({ sent: 0, written: 0 });
  });

  it('after a merchant’s edit of a generated title leave it alone, although every night generates again', () => {
    const products = newProducts();
    livesThrough(products, quiet);
    const edited = { kind: 'set', field: 'title', text: 'one' } as const;
    const regenerated: Night = { ...quiet, byHand: [0] };
    expect(livesThrough(products, { ...regenerated, before: [[0, edited]] })).toEqual({
      sent: 1,
      written: 2,
    });
    for (let nights = 0; nights < 8; nights += 1) {
      expect(livesThrough(products, regenerated)).toEqual({ sent: 0, written: 2 });
    }
    const restored = { kind: 'restore', field: 'title' } as const;
    expect(livesThrough(products, { ...regenerated, before: [[0, restored]] })).toEqual({
      sent: 1,
      written: 3,
    });
  });
});
