import type { MetafieldDefinition, MetafieldOwner, NewMetafieldDefinition } from './metafield-definition.js';
import type { ProductSnapshot } from './snapshot.js';

/**
 * What store-sync needs from a store, whatever kind it is. Every method throws only `CodedError`. A connector belongs to one configured
 * store. It may be called concurrently, and it respects the store's limits by itself. `StoreEvents` is the part that needs no connection.
 */
export interface StoreConnector {
  /** The origins of the addresses of product images, for pages that show them. */
  readonly imageOrigins: readonly string[];

  /** The address of an image of these origins, that many dots wide where the store scales images. */
  scaledImage(address: URL, width: number): URL;

  /**
   * Asks the store who it is and what it permits, by one request. Throws what any call throws when the store refuses, and `misconfigured`
   * when another shop answers: its products must not pass for those of the configured one.
   */
  probe(): Promise<StoreProbe>;

  /**
   * Reads every product of every status that the store's filter selects, and says at the end whether absence proves that a product is
   * gone. The connector owns the proof. A handle that survives a restart goes to `onHandle` as soon as the store works on the read, and
   * null once it is of no use; `resume` is the handle of an earlier process, whose read is adopted. Throws `transient` when the read
   * broke off.
   */
  readWhole(
    resume: string | null,
    onHandle: (handle: string | null) => Promise<void>,
    options?: WholeReadOptions,
  ): AsyncIterable<ReadPart>;

  /** Cancels a read that is no longer needed. A read that has ended is left as it is. */
  abandonRead(handle: string): Promise<void>;

  /** Products that changed at or after `since`. A product that is left out may have changed all the same: only a whole read proves. */
  readChanged(since: Date): AsyncIterable<readonly SourceProduct[]>;

  /**
   * The current products, in the order of the ids, and whether the store's filter selects them. An entry is null when the product no
   * longer exists.
   */
  readProducts(storeIds: readonly string[]): Promise<readonly (SourceProduct | null)[]>;

  /** The number of products that a whole read should find, or null when the store does not report one. */
  count(): Promise<number | null>;

  /**
   * The current value of each target, and the token that guards it, or null when the product no longer exists. Only what the targets need
   * is read, because each part costs extra. `metafield:namespace.*` asks for all of a namespace, `images[].alt` for the images.
   */
  readTargets(storeId: string, targets: readonly string[]): Promise<LiveProduct | null>;

  /**
   * Writes targets in as few requests as the store allows, and returns the outcomes of each request once it is answered. A refused target
   * does not affect the others. What a store cannot write under a guard is read again right before, and left where it is no longer
   * `expected`. Throws `not_found` when the product no longer exists, and the error of a request that has no outcome.
   */
  write(
    storeId: string,
    writes: readonly TargetWrite[],
    options?: StoreWriteOptions,
  ): AsyncIterable<readonly WriteOutcome[]>;

  /** What the store lets stand in the targets of these values. */
  constraints(wanted: readonly WantedValue[]): Promise<StoreConstraints>;

  /**
   * Makes the store send its product events to `uri`, once for each topic, and none to `former`, where they went before. Other
   * subscriptions are left alone.
   */
  subscribe(uri: string, former: string | null): Promise<void>;

  /** The page of a product in the store's admin. */
  adminUrl(storeId: string): string;

  close(): Promise<void>;
}

/** The events that a store sends. A process that only receives has them, too. */
export interface StoreEvents {
  /** False for a request that no store of this kind would send, so that its body need not be read. */
  mayVerify(headers: EventHeaders): boolean;

  /** Whether the store signed the body, in constant time. A greeting has no signature, and says nothing. */
  verify(headers: EventHeaders, rawBody: Uint8Array): 'signed' | 'greeting' | 'forged';

  /** The products that an event names, as the store's own ids. */
  products(rawBody: Uint8Array): readonly string[];

  /** What the event says about itself. Only the body of it is signed. */
  about(headers: EventHeaders, rawBody: Uint8Array): EventFacts;
}

export type EventHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface EventFacts {
  readonly topic: string;
  /** True when the merchant took the access away. */
  readonly uninstalls: boolean;
}

export interface WholeReadOptions {
  /** Called while the store prepares the read, with the number of its records so far. */
  readonly onWaiting?: (records: number) => void;
  readonly signal?: AbortSignal;
}

/** Some products, or the end of the read. */
export type ReadPart =
  | { readonly products: readonly SourceProduct[] }
  | { readonly complete: true }
  | { readonly complete: false; readonly why: string };

export interface StoreWriteOptions {
  /** Runs right before each write request, after any wait for the rate limit. If it throws, the request is neither sent nor repeated. */
  readonly beforeSend?: () => Promise<void>;
  /** Called with the targets of a request before it is sent: until its outcomes are returned, the store may have them. */
  readonly onSending?: (targets: readonly string[]) => void;
}

/** A product as one read of the store returned it. */
export interface SourceProduct {
  readonly externalId: string;
  readonly storeId: string;
  /** True for a product that was read by its id and that the search of the store's filter does not find. Absent otherwise. */
  readonly isLeftOut?: boolean;
  /** Parses the data that was read. Throws `transient` with the place of the error when it is malformed. */
  snapshot(): ProductSnapshot;
}

/** Product fields that write-back may write. */
export const STORE_FIELDS = [
  'title',
  'descriptionHtml',
  'seo.title',
  'seo.description',
  'vendor',
  'productType',
  /** The full name of a category of the store's taxonomy. */
  'category',
] as const;
export type StoreField = (typeof STORE_FIELDS)[number];

export function isStoreField(target: string): target is StoreField {
  return (STORE_FIELDS as readonly string[]).includes(target);
}

export interface LiveProduct {
  readonly storeId: string;
  /** Null when only translations were asked for. */
  readonly status: string | null;
  /** By target: those that were asked for, and what came with them. */
  readonly values: ReadonlyMap<string, LiveValue>;
  /** The images in the store's order. Absent when they were not asked for. */
  readonly images?: readonly LiveImage[];
}

export interface LiveValue {
  /** An empty text counts as null. */
  readonly value: string | null;
  /** The store's compare-and-set token of the value; null where there is no value, or the store has none. */
  readonly token: string | null;
  /** Of a metafield. */
  readonly type: string | null;
  /** Why nothing can be written there now. Absent where a value may be written. */
  readonly closed?: ClosedTarget;
}

export const NO_VALUE: LiveValue = { value: null, token: null, type: null };

/**
 * `unreadable`: the value is not known, because the store does not let us read it. `never`: the store has no such place, whatever
 * stands elsewhere. `no_original`: there is no text that it could translate. `gone`: the variant no longer exists.
 */
export interface ClosedTarget {
  readonly why: 'unreadable' | 'never' | 'no_original' | 'gone';
  readonly reason: string;
}

export interface LiveImage {
  /** The number of the image in the store. */
  readonly id: string;
  /** Null when it is empty. */
  readonly alt: string | null;
  /** Null while the store processes the image. */
  readonly address: string | null;
  /** False while the store processes the image: it cannot be changed yet. */
  readonly isReady: boolean;
}

export interface TargetWrite {
  readonly target: string;
  /** Null removes what stands there. */
  readonly value: string | null;
  /** The value to replace, as it was read; null when there was none. */
  readonly expected: string | null;
  /** The token of the value to replace; null when there was none. */
  readonly token: string | null;
  /** Of a metafield. */
  readonly type?: string | null;
  /** The definition to create before a metafield is written. */
  readonly defines?: NewMetafieldDefinition | undefined;
  /** True when the metafield is refused without a definition. */
  readonly needsDefinition?: boolean | undefined;
}

export type WriteOutcome =
  /** The value is the one that the store then holds, because stores normalise (docs/decisions/0004-effective-source.md). */
  | { readonly target: string; readonly outcome: 'written'; readonly value: string | null }
  | {
      readonly target: string;
      readonly outcome: 'changed_meanwhile' | 'refused';
      readonly reason: string;
    };

/** A value that is meant for a target. */
export interface WantedValue {
  readonly target: string;
  readonly value: string;
}

export interface StoreConstraints {
  /** True: the store takes any text, whether or not something is defined. */
  readonly freeText: boolean;
  /** The merchant's definitions of the metafields among the targets, by `namespace.key`. One that does not exist is absent. */
  readonly definitions: Readonly<Record<MetafieldOwner, ReadonlyMap<string, MetafieldDefinition>>>;
  /** The categories of the store's taxonomy that a wanted text names, by the text. Several when it is ambiguous. */
  readonly categories: ReadonlyMap<string, readonly StoreCategory[]>;
}

export interface StoreCategory {
  readonly id: string;
  /** `Root > Subcategory`. */
  readonly fullName: string;
}

export interface StoreProbe {
  /** The beginning of the external_ids of the store's products, such as `{kind}:{shop}`. */
  readonly identity: string;
  /** The shop's own name, which stores fill into the vendor by themselves. */
  readonly name: string;
  /** The API version that the store serves in place of the configured one, which it has retired; null while it serves that. */
  readonly servedVersion: string | null;
  readonly mayWriteProducts: boolean;
  /** Looks at everything that a person who sets the store up should know. Throws only what it cannot explain as a finding. */
  findings(): Promise<readonly StoreFinding[]>;
}

export interface StoreFinding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly what: string;
  /** The finding and, unless it is ok, what to do. */
  readonly detail: string;
}

/**
 * The store's value of a target. Throws when a field was not read, because that differs from an empty field. A metafield, a tag or a
 * text of an image that did not come does not exist.
 */
export function liveValue(live: LiveProduct, target: string): LiveValue {
  const found = live.values.get(target);
  if (found !== undefined) return found;
  if (isStoreField(target)) throw new Error(`${target} of ${live.storeId} was not read`);
  return NO_VALUE;
}

/** The product's images. Throws when they were not read. */
export function liveImages(live: LiveProduct): readonly LiveImage[] {
  if (live.images === undefined) throw new Error(`the images of ${live.storeId} were not read`);
  return live.images;
}

/** What tells a shop from all others of its kind, and its address: a copy of a shop has the same id elsewhere. */
export interface ShopIdentity {
  readonly id: string;
  readonly address: string;
}

/** What is remembered of one store's shop. */
export interface KeptIdentity {
  read(): Promise<ShopIdentity | null>;
  /** Throws `misconfigured` when another store is that shop. */
  keep(identity: ShopIdentity): Promise<void>;
}
