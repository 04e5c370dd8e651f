import { z } from 'zod';
import { CodedError, errorLine, isCoded } from '../../domain/errors.js';
import {
  metafieldKey,
  metafieldTarget,
  nameInTarget,
  placeInTarget,
  SHORT_DESCRIPTION_PLACE,
} from '../../domain/metafield-key.js';
import type {
  LiveProduct,
  LiveValue,
  StoreWriteOptions,
  TargetWrite,
  WriteOutcome,
} from '../../domain/store-port.js';
import { isTag, placeOfTarget, tagTarget } from '../../domain/write-target.js';
import { changedMeanwhile, refused, written } from '../outcomes.js';
import type { WooClient } from './client.js';
import {
  metaFields,
  metaKeyOf,
  type MetaNames,
  metaProblem,
  metaText,
  seoKeyFor,
  seoText,
  TEXT,
} from './meta.js';
import { PRODUCT_FIELDS, productSchema, type WooProduct } from './schemas.js';
import type { WooShop } from './shop.js';
import { decodedName, protectedPart, withBackslashes, withoutShortcodes } from './texts.js';

const TEXTS = ['name', 'description', 'short_description'] as const;
type TextField = (typeof TEXTS)[number];

/** Where a target is kept: a text of the product, or a meta key. */
type Place = { readonly text: TextField } | { readonly meta: string };

const TEXT_TARGETS: Readonly<Record<string, TextField>> = {
  title: 'name',
  descriptionHtml: 'description',
  [metafieldTarget(SHORT_DESCRIPTION_PLACE)]: 'short_description',
};
const CHANGED = 'somebody changed it after it was read';

/** Reads and writes the texts of one product. The shop has no compare-and-set, so each write reads right before. */
export class WooTargets {
  constructor(
    private readonly client: WooClient,
    private readonly shop: WooShop,
    private readonly names: MetaNames,
  ) {}

  async read(storeId: string, targets: readonly string[]): Promise<LiveProduct | null> {
    const { plugins } = await this.shop.facts();
    const product = await this.#product(storeId);
    if (product === null) return null;
    const values = new Map<string, LiveValue>();
    for (const field of metaFields(product.meta_data, this.names))
      values.set(metafieldTarget(field), { value: field.value, token: null, type: field.type });
    for (const tag of product.tags)
      values.set(tagTarget(decodedName(tag.name)), valueOf(decodedName(tag.name)));
    for (const target of targets.filter((each) => !each.endsWith('.*')))
      values.set(target, liveValue(target, product, plugins));
    const images = product.images.map(({ id, src, alt }) => {
      return { id: String(id), alt: alt === '' ? null : alt, address: src, isReady: true };
    });
    return { storeId, status: product.status, values, images };
  }

  /** All in one request. When the shop refuses it, it may mean one of them, so each is then sent by itself. */
  async *write(
    storeId: string,
    writes: readonly TargetWrite[],
    options: StoreWriteOptions,
  ): AsyncGenerator<readonly WriteOutcome[]> {
    if (writes.length === 0) return;
    const { plugins } = await this.shop.facts();
    const before = await this.#product(storeId);
    if (before === null) throw new CodedError('not_found', `the shop has no product ${storeId}`);
    const decided = writes.map(inert).map((write) => ({ write, ...decide(write, before, plugins) }));
    const toSend = decided.flatMap(({ write, place, outcome }) =>
      outcome === null && place !== null ? [{ write, place }] : [],
    );
    const left = decided.flatMap(({ outcome }) => outcome ?? []);
    if (left.length > 0) yield left;
    if (toSend.length === 0) return;
    const body = bodyOf(toSend, before);
    if ('problem' in body) {
      const [texts, others] = [toSend.filter(isText), toSend.filter((each) => !isText(each))];
      yield texts.map(({ write }) => changedMeanwhile(write.target, body.problem));
      yield* this.write(
        storeId,
        others.map(({ write }) => write),
        options,
      );
      return;
    }
    options.onSending?.(toSend.map(({ write }) => write.target));
    const query = { _fields: PRODUCT_FIELDS };
    const call = { method: 'PUT', path: pathOf(storeId), query, body: body.sent } as const;
    try {
      const { data: after } = await this.client.run(call, productSchema, options);
      yield toSend.map(({ write, place }) => kept(write, place, before, after));
    } catch (error) {
      if (!isCoded(error, 'invalid') && !(await this.#isOfOneProduct(error))) throw error;
      if (toSend.length === 1) yield toSend.map(({ write }) => refused(write.target, errorLine(error)));
      else for (const { write } of toSend) yield* this.write(storeId, [write], options);
    }
  }

  /** Null for one that is gone or in the trash. */
  async #product(storeId: string): Promise<WooProduct | null> {
    const query = { context: 'edit', _fields: PRODUCT_FIELDS };
    try {
      const { data } = await this.client.run({ path: pathOf(storeId), query }, productSchema);
      return data.status === 'trash' ? null : data;
    } catch (error) {
      if (isCoded(error, 'not_found')) return null;
      if (await this.#isOfOneProduct(error)) throw new CodedError('invalid', errorLine(error));
      throw error;
    }
  }

  /** A write to no product: a key without the right is refused before the number is looked at. */
  async mayWrite(): Promise<boolean> {
    const call = { method: 'PUT', path: pathOf('0'), body: {}, mayRepeat: true } as const;
    try {
      await this.client.run(call, z.unknown());
      return true;
    } catch (error) {
      if (isCoded(error, 'auth')) return false;
      if (isCoded(error, 'not_found', 'invalid')) return true;
      throw error;
    }
  }

  /** True when a plugin keeps this one product from the key, which may write others. */
  async #isOfOneProduct(error: unknown): Promise<boolean> {
    return isCoded(error, 'auth') && error.status === 403 && (await this.mayWrite());
  }
}

/** No shortcode of a generated text runs in the shop. A text that is put back has none, as a text with one is not replaced. */
function inert(write: TargetWrite): TargetWrite {
  const text = TEXT_TARGETS[write.target];
  if (write.value === null || text === undefined || text === 'name') return write;
  return { ...write, value: withoutShortcodes(write.value) };
}

function pathOf(storeId: string): string {
  return `wc/v3/products/${encodeURIComponent(storeId)}`;
}

function liveValue(target: string, product: WooProduct, plugins: ReadonlySet<string>): LiveValue {
  const value = valueOf(presentText(target, product, plugins));
  if (isTag(target))
    return product.tags.some(({ name }) => tagTarget(decodedName(name)) === target)
      ? valueOf(target.slice(tagTarget('').length))
      : closed(value, 'tags are not written in a shop of this kind');
  const place = placeIn(target, plugins);
  if (typeof place === 'string') return closed(value, place);
  const problem = 'meta' in place ? metaProblem(product.meta_data, place.meta) : null;
  if (problem !== null) return closed(value, problem);
  return nameInTarget(target) === null ? value : { ...value, type: value.value === null ? null : TEXT };
}

function closed(value: LiveValue, reason: string): LiveValue {
  return { ...value, closed: { why: 'never', reason } };
}

function valueOf(text: string | null): LiveValue {
  return { value: text === '' ? null : text, token: null, type: null };
}

/** Where the target is written, or why it is not. */
function placeIn(target: string, plugins: ReadonlySet<string>): Place | string {
  const text = TEXT_TARGETS[target];
  if (text !== undefined) return { text };
  if (target === 'seo.title' || target === 'seo.description') {
    const key = seoKeyFor(plugins, target === 'seo.title' ? 'title' : 'description');
    return key === null ? 'neither Yoast SEO nor Rank Math is active in the shop' : { meta: key };
  }
  if (placeOfTarget(target).locale !== null) return 'a shop of this kind has one language';
  const name = nameInTarget(target);
  if (name === null)
    return placeInTarget(target) === null
      ? 'a shop of this kind does not take it'
      : 'variations are not written in a shop of this kind';
  const { namespace, key } = metafieldKey(name);
  const meta = metaKeyOf(namespace, key);
  return meta === null ? 'the shop keeps this value itself' : { meta };
}

function presentText(target: string, product: WooProduct, plugins: ReadonlySet<string>): string | null {
  const text = TEXT_TARGETS[target];
  if (text === 'name') return decodedName(product.name);
  if (text !== undefined) return product[text];
  if (target === 'seo.title') return seoText(product.meta_data, plugins, 'title');
  if (target === 'seo.description') return seoText(product.meta_data, plugins, 'description');
  if (target === 'vendor')
    return product.brands[0] === undefined ? null : decodedName(product.brands[0].name);
  const name = nameInTarget(target);
  if (name === null) return null;
  const { namespace, key } = metafieldKey(name);
  const meta = metaKeyOf(namespace, key);
  return meta === null ? null : metaText(product.meta_data, meta);
}

function isText({ place }: { readonly place: Place }): boolean {
  return 'text' in place;
}

interface Decided {
  readonly place: Place | null;
  /** The outcome when nothing is sent; null when the write is sent. */
  readonly outcome: WriteOutcome | null;
}

function decide(
  { target, value, expected }: TargetWrite,
  product: WooProduct,
  plugins: ReadonlySet<string>,
): Decided {
  const place = placeIn(target, plugins);
  if (typeof place === 'string') return { place: null, outcome: refused(target, place) };
  const problem = 'meta' in place ? metaProblem(product.meta_data, place.meta) : null;
  if (problem !== null) return { place: null, outcome: refused(target, problem) };
  const present = presentText(target, product, plugins);
  const now = present === '' ? null : present;
  const wanted = value === '' ? null : value;
  if (now === wanted) return { place, outcome: written(target, now) };
  if (now !== (expected === '' ? null : expected))
    return { place, outcome: changedMeanwhile(target, CHANGED) };
  const isKept = 'text' in place && place.text !== 'name' ? protectedPart(now ?? '') : null;
  return {
    place,
    outcome: isKept === null ? null : changedMeanwhile(target, `${isKept}, and is left to the merchant`),
  };
}

/**
 * The changed fields alone, or why no text may be written. The shop writes the whole row of its texts with any of them and halves their
 * backslashes, so a text with backslashes goes along, each doubled.
 */
function bodyOf(
  toSend: readonly { readonly write: TargetWrite; readonly place: Place }[],
  product: WooProduct,
): { readonly sent: Readonly<Record<string, unknown>> } | { readonly problem: string } {
  const texts: Partial<Record<TextField, string>> = {};
  const meta: { key: string; value: string | null }[] = [];
  for (const { write, place } of toSend) {
    if ('text' in place) texts[place.text] = withBackslashes(write.value ?? '');
    else meta.push({ key: place.meta, value: write.value === '' ? null : write.value });
  }
  if (Object.keys(texts).length > 0)
    for (const field of TEXTS) {
      if (texts[field] !== undefined || !product[field].includes('\\')) continue;
      const problem = protectedPart(product[field]);
      if (problem !== null)
        return {
          problem: `the shop would write its ${field} again, which holds backslashes, and ${problem}`,
        };
      texts[field] = withBackslashes(product[field]);
    }
  return { sent: { ...texts, ...(meta.length === 0 ? {} : { meta_data: meta }) } };
}

/** What the shop made of a write, by its answer: it takes texts with 200 and keeps others. */
function kept(
  { target, value }: TargetWrite,
  place: Place,
  before: WooProduct,
  after: WooProduct,
): WriteOutcome {
  const textIn = (product: WooProduct): string => {
    if ('meta' in place) return metaText(product.meta_data, place.meta) ?? '';
    return place.text === 'name' ? decodedName(product.name) : product[place.text];
  };
  const now = textIn(after);
  if (now === textIn(before) && now !== (value ?? ''))
    return refused(target, 'the shop kept the text of before');
  return written(target, now === '' ? null : now);
}
