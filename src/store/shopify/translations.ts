import { metafieldKey, metafieldNamesIn, metafieldTarget, nameInTarget } from '../../domain/metafield-key.js';
import { CodedError, isCoded } from '../../domain/errors.js';
import type { StoreWriteOptions, WriteOutcome } from '../../domain/store-port.js';
import { changedMeanwhile, refused, type TextWrite, written } from '../outcomes.js';
import type { LiveTranslations } from './api-types.js';
import type { ShopifyClient } from './client.js';
import { METAFIELD_IDS, TRANSLATIONS, TRANSLATIONS_REGISTER, TRANSLATIONS_REMOVE } from './documents.js';
import { refusedWith } from './faults.js';
import { pagesOf } from './pages.js';
import { entryIndex } from './refusal.js';
import {
  metafieldIdsData,
  translationsData,
  translationsRegisterData,
  translationsRemoveData,
  type ShopLocale,
  type UserError,
} from './schemas.js';

/** Store fields by their names in translations. Vendors are not translated. */
const KEYS: Readonly<Record<string, string>> = {
  title: 'title',
  descriptionHtml: 'body_html',
  productType: 'product_type',
  'seo.title': 'meta_title',
  'seo.description': 'meta_description',
};
/** Resources per read; the store accepts up to 250. */
const RESOURCES_PER_READ = 100;
/** Translations per call. */
const ENTRIES_PER_CALL = 100;
/** The text changed between the read of its digest and the write of its translation. */
const STALE_DIGEST = 'INVALID_TRANSLATABLE_CONTENT';
const CHANGED = 'somebody changed the translation after it was read';

type TranslationWrite = Pick<TextWrite, 'target' | 'value' | 'expected'>;

/** The place of a target's translation: a product's own fields by key, a metafield under its own id. */
interface Place {
  readonly resource: string;
  readonly key: string;
}

interface TranslatableText {
  readonly place: Place;
  readonly digest: string;
  readonly value: string | null;
}

interface Read {
  readonly problem: string | null;
  readonly texts: ReadonlyMap<string, TranslatableText>;
}

/** Translations of a product's fields and metafields (Admin API "translatableResource", "translationsRegister"). */
export class ProductTranslations {
  constructor(private readonly client: ShopifyClient) {}

  async live(id: string, locale: string, targets: readonly string[]): Promise<LiveTranslations | null> {
    const read = await this.read(id, locale, targets);
    if (read === null) return null;
    const texts = [...read.texts].map(([target, { value }]) => [target, { value }] as const);
    const never = targets.filter((target) => nameInTarget(target) === null && KEYS[target] === undefined);
    return { problem: read.problem, texts: new Map(texts), never };
  }

  /** The outcome of each entry, in the given order. Stale digests are read again once. */
  async write(
    id: string,
    locale: string,
    writes: readonly TranslationWrite[],
    options: StoreWriteOptions = {},
  ): Promise<readonly WriteOutcome[]> {
    const outcomes = new Map<string, WriteOutcome>();
    let open = writes;
    for (const isLast of [false, true]) {
      if (open.length === 0) break;
      const stale = await this.writeOnce(id, locale, open, outcomes, options);
      if (isLast)
        for (const { write, error } of stale)
          outcomes.set(write.target, refused(write.target, error.message));
      open = stale.map(({ write }) => write);
    }
    return writes.flatMap((write) => outcomes.get(write.target) ?? []);
  }

  async remove(
    id: string,
    locale: string,
    targets: readonly string[],
    options: StoreWriteOptions = {},
  ): Promise<void> {
    const places = await this.places(id, targets);
    if (places === null) return;
    for (const [resource, entries] of byResource([...places.values()], (place) => place)) {
      const variables = { id: resource, keys: entries.map(({ key }) => key), locales: [locale] };
      const { data } = await this.client.run(TRANSLATIONS_REMOVE, variables, translationsRemoveData, options);
      const [error] = data.translationsRemove?.userErrors ?? [];
      // A product that no longer exists has no translations.
      if (error !== undefined && error.code !== 'RESOURCE_NOT_FOUND')
        throw new CodedError(
          'invalid',
          `the store refused to remove translations of ${id}: ${error.message}`,
        );
    }
  }

  /** Returns the entries with a stale digest. All others have their outcome. */
  private async writeOnce(
    id: string,
    locale: string,
    writes: readonly TranslationWrite[],
    outcomes: Map<string, WriteOutcome>,
    options: StoreWriteOptions,
  ): Promise<{ readonly write: TranslationWrite; readonly error: UserError }[]> {
    const read = await this.read(
      id,
      locale,
      writes.map(({ target }) => target),
    );
    if (read === null) throw new CodedError('not_found', `the store has no product ${id}`);
    const sendable: { readonly write: TranslationWrite; readonly text: TranslatableText }[] = [];
    for (const write of writes) {
      const text = read.texts.get(write.target);
      if (read.problem !== null) outcomes.set(write.target, refused(write.target, read.problem));
      else if (text === undefined)
        outcomes.set(write.target, refused(write.target, 'there is no text to translate'));
      else if (text.value === write.expected || text.value === write.value) sendable.push({ write, text });
      else outcomes.set(write.target, changedMeanwhile(write.target, CHANGED));
    }
    const stale: { write: TranslationWrite; error: UserError }[] = [];
    for (const [resource, entries] of byResource(sendable, ({ text }) => text.place)) {
      const translations = entries.map(({ write, text }) => ({
        locale,
        key: text.place.key,
        value: write.value,
        translatableContentDigest: text.digest,
      }));
      const { data } = await this.client.run(
        TRANSLATIONS_REGISTER,
        { id: resource, translations },
        translationsRegisterData,
        options,
      );
      const { translations: stored = null, userErrors = [] } = data.translationsRegister ?? {};
      // The store registers valid entries despite the errors of others, so each entry is judged by itself.
      for (const [index, { write, text }] of entries.entries()) {
        const error = userErrors.find((each) => (entryIndex(each) ?? index) === index);
        if (error?.code === STALE_DIGEST) stale.push({ write, error });
        else if (error !== undefined) outcomes.set(write.target, refused(write.target, error.message));
        else {
          const found = stored?.findLast((each) => each.key === text.place.key && each.locale === locale);
          outcomes.set(write.target, registered(write.target, found?.value));
        }
      }
    }
    return stale;
  }

  /**
   * Null when the product no longer exists. If the app or the shop does not allow translations, the result has a
   * problem.
   */
  private async read(id: string, locale: string, targets: readonly string[]): Promise<Read | null> {
    const places = await this.places(id, targets);
    if (places === null) return null;
    const ids = [...new Set([id, ...[...places.values()].map(({ resource }) => resource)])];
    const texts = new Map<string, TranslatableText>();
    const resources: Resource[] = [];
    let locales: readonly ShopLocale[] = [];
    for (let at = 0; at < ids.length; at += RESOURCES_PER_READ) {
      const chunk = ids.slice(at, at + RESOURCES_PER_READ);
      try {
        const variables = { ids: chunk, first: chunk.length, locale };
        const { data } = await this.client.run(TRANSLATIONS, variables, translationsData);
        resources.push(...data.translatableResourcesByIds.nodes);
        locales = data.shopLocales;
      } catch (error) {
        if (refusedWith(error, 'ACCESS_DENIED')) return { problem: NO_SCOPE, texts };
        if (isCoded(error, 'not_found')) return null;
        throw error;
      }
    }
    if (!resources.some(({ resourceId }) => resourceId === id)) return null;
    for (const [target, place] of places) {
      const resource = resources.find(({ resourceId }) => resourceId === place.resource);
      const digest = resource?.translatableContent.find(({ key }) => key === place.key)?.digest;
      const value = resource?.translations.find(({ key }) => key === place.key)?.value ?? null;
      if (digest != null) texts.set(target, { place, digest, value });
    }
    return { problem: localeProblem(locale, locales), texts };
  }

  /** The places of targets that can have a translation; null when the product no longer exists. */
  private async places(id: string, targets: readonly string[]): Promise<ReadonlyMap<string, Place> | null> {
    const places = new Map<string, Place>();
    for (const target of targets) {
      const key = KEYS[target];
      if (key !== undefined) places.set(target, { resource: id, key });
    }
    const namespaces = new Set(metafieldNamesIn(targets).map((name) => metafieldKey(name).namespace));
    for (const namespace of namespaces) {
      const ids = await this.metafieldIds(id, namespace);
      if (ids === null) return null;
      for (const target of targets) {
        const resource = ids.get(target);
        if (resource !== undefined) places.set(target, { resource, key: 'value' });
      }
    }
    return places;
  }

  private async metafieldIds(id: string, namespace: string): Promise<ReadonlyMap<string, string> | null> {
    const read = async (after: string | null) =>
      (await this.client.run(METAFIELD_IDS, { id, ns: namespace, after }, metafieldIdsData)).data.product;
    const ids = new Map<string, string>();
    for await (const product of pagesOf(read, (page) => page?.metafields)) {
      if (product === null) return null;
      for (const node of product.metafields.nodes) ids.set(metafieldTarget(node), node.id);
    }
    return ids;
  }
}

type Resource = ReturnType<typeof translationsData.parse>['translatableResourcesByIds']['nodes'][number];

const NO_SCOPE =
  'the app may not read translations: give it read_locales, read_translations and write_translations, and install it again';

/** The reason why a shop does not translate into a locale, with what to do; null when it does. */
export function localeProblem(locale: string, locales: readonly ShopLocale[]): string | null {
  const found = locales.find((each) => each.locale === locale);
  if (found === undefined)
    return `the shop has no language ${locale}: add it under Settings, Languages, or take it out of writeBack.locales`;
  return found.primary ? `${locale} is the shop’s own language: take it out of writeBack.locales` : null;
}

/** Groups for one call each: a call has one resource and a limited number of entries. */
function byResource<T>(entries: readonly T[], placeOf: (entry: T) => Place): [string, T[]][] {
  const groups = Map.groupBy(entries, (entry) => placeOf(entry).resource);
  return [...groups].flatMap(([resource, group]) => {
    const chunks: [string, T[]][] = [];
    for (let at = 0; at < group.length; at += ENTRIES_PER_CALL)
      chunks.push([resource, group.slice(at, at + ENTRIES_PER_CALL)]);
    return chunks;
  });
}

function registered(target: string, value: string | null | undefined): WriteOutcome {
  if (value != null) return written(target, value);
  const text = `the store registered the translation ${target} but does not show it`;
  throw new CodedError('transient', text, { outcomeUnknown: true });
}
