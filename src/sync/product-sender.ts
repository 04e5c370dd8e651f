import type { CatalogClient } from '../catalog/client.js';
import type { ProductBody } from '../catalog/product-body.js';
import type { CatalogProduct, CatalogVariant } from '../catalog/schemas.js';
import type { Store } from '../connections/connections.js';
import {
  CATALOG_FIELDS,
  IDENTIFIER_KINDS,
  LANGUAGE_FIELDS,
  type IdentifierKind,
  type CatalogField,
  type CatalogProductBody,
  type Identifier,
} from '../domain/catalog-product.js';
import { isCoded, type CodedError } from '../domain/errors.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import {
  bareBody,
  fieldsThatClear,
  identifierFields,
  orphanReleaseBody,
  refusedIdentifiers,
  releaseBody,
  withStaleCleared,
} from '../planner/identifier-refusals.js';
import { filledFields, withoutIdentifiers } from '../planner/map-to-catalog.js';
import { patchBody } from '../planner/plan-product.js';
import { findByExternalId, isAnyHeld } from './find-product.js';
import { LostLinkError, OwnProduct, postOwn, readProduct } from './own-product.js';
import { droppedMembersLeft, withForeignMembers } from './foreign-members.js';
import { localisedChanges, ownFields } from './localised-texts.js';

export type Sent =
  | {
      readonly kind: 'product';
      readonly product: CatalogProduct;
      /** The part of the body that the catalog holds now. */
      readonly body: CatalogProductBody;
      readonly refused: readonly WithheldIdentifier[];
    }
  | { readonly kind: 'background'; readonly taskId: string; readonly body: CatalogProductBody };

export interface SendOptions {
  /** True when the catalog was shown to hold none of the identifiers for anybody else: then POST may carry them. */
  readonly proved: boolean;
  /** An earlier attempt may have been carried out. */
  readonly attempted: boolean;
  /** Outdated identifiers that the catalog may hold for the product. None of them is left there by a `Sent` product. */
  readonly stale: readonly Identifier[];
  /** Identifiers that are withheld: the fields that are sent clear them. */
  readonly withheld?: readonly Identifier[];
  /** The body that we sent last; absent or null where it is not known. */
  readonly before?: Partial<CatalogProductBody> | null;
  /** Called right before each write; what it throws keeps the write from being sent. */
  readonly beforeSend: () => void;
}

type UpdateOptions = Pick<SendOptions, 'stale' | 'withheld' | 'beforeSend' | 'before'>;

/** A product whose source is gone. */
export interface LeavingProduct {
  readonly catalogId: string;
  readonly externalId: string;
  /** True when the catalog product shall go, too. */
  readonly deleted: boolean;
}

/** Refusals in a row that one product may meet: each leaves at least one identifier out. */
const MOST_REFUSALS = 8;

/**
 * Sends one product so that no other product can be changed by it. POST updates whatever one of its identifiers matches, so that a
 * body carries identifiers only where they were proved free. Otherwise the product is created by its external_id alone, and PATCH
 * brings the identifiers afterwards: where somebody else holds one, PATCH is refused and changes nothing.
 */
export class ProductSender {
  constructor(
    private readonly client: CatalogClient,
    /** PATCH is not documented to take `locale`, so that texts of a configured language go by POST. Null where PATCH serves. */
    private readonly language: string | null = null,
    /** The further languages whose texts are sent. */
    private readonly locales: readonly string[] = [],
  ) {}

  static of({ workspace, settings }: Pick<Store, 'workspace' | 'settings'>): ProductSender {
    const { locales } = settings.writeBack;
    return new ProductSender(workspace.client, workspace.settings.locale ?? null, locales);
  }

  /** Creates a product, or finds the one that an earlier attempt created. */
  async create(body: CatalogProductBody, options: SendOptions): Promise<Sent> {
    if (options.attempted) {
      const found = await findByExternalId(this.client, body);
      if (found) return this.update(String(found.id), body, filledFields(body), options);
    }
    const posted = ownFields(options.proved ? body : bareBody(body));
    try {
      const result = await postOwn(this.client, posted, { beforeSend: options.beforeSend });
      if (result.kind === 'background') return { kind: 'background', taskId: result.taskId, body: posted };
      const own = this.#own(String(result.product.id), body, options).showing(result.product);
      const missing = options.proved ? [] : identifierFields(body);
      if (missing.length > 0 || options.stale.length > 0) {
        const fields: CatalogField[] =
          body.translations === undefined ? missing : [...missing, 'translations'];
        return await this.#update(own, body, fields, options);
      }
      await this.#sendTranslations(own, body, null);
      return { kind: 'product', product: result.product, body, refused: [] };
    } catch (error) {
      const refused = isCoded(error, 'invalid') ? refusedIdentifiers(body, error.fields) : [];
      if (options.proved && refused.length > 0 && (await isAnyHeld(this.client, refused))) {
        // Somebody took an identifier since the catalog was read: PATCH says which ones are left.
        return this.create(body, { ...options, proved: false });
      }
      if (!isCoded(error, 'conflict') || error instanceof LostLinkError) throw error;
      const found = await findByExternalId(this.client, body);
      if (!found) throw error;
      return this.update(String(found.id), body, filledFields(body), options);
    }
  }

  /**
   * Sends the named fields of a product that exists. Stale identifiers are released first. An identifier that the catalog refuses is
   * left out and returned. A refusal of any other field is thrown, and so is `LostLinkError`: then nothing was sent.
   */
  async update(
    catalogId: string,
    body: CatalogProductBody,
    fields: readonly CatalogField[],
    options: UpdateOptions,
  ): Promise<Sent & { readonly kind: 'product' }> {
    return this.#update(this.#own(catalogId, body, options), body, fields, options);
  }

  #own(catalogId: string, { external_id }: CatalogProductBody, { beforeSend }: UpdateOptions): OwnProduct {
    return new OwnProduct(this.client, catalogId, external_id, beforeSend);
  }

  async #update(
    own: OwnProduct,
    body: CatalogProductBody,
    fields: readonly CatalogField[],
    { stale, withheld = [], before = null, beforeSend }: UpdateOptions,
  ): Promise<Sent & { readonly kind: 'product' }> {
    const outdated = [...stale, ...withheld];
    const clearing = fieldsThatClear(body, fields, stale);
    const held = await own.shown();
    const release = releaseBody(body, outdated);
    if (fields.includes('variants') || release?.variants != null) {
      try {
        await own.refuseTakenVariants();
      } catch (error) {
        // The fault is the variants': the product's own fields are sent.
        const others = fields.filter((field) => field !== 'variants');
        if (isCoded(error, 'conflict') && others.length > 0)
          await this.#update(own, body, others, { stale: [], beforeSend, before });
        throw error;
      }
    }
    if (release !== null) await patchClearing((changes) => own.patch(changes), release);
    const refused: WithheldIdentifier[] = [];
    for (let attempt = 1; ; attempt += 1) {
      const sent = withoutIdentifiers(body, refused);
      const left = clearing.filter(
        (field) => !refused.some(({ kind, owner }) => kind === field && owner === body.external_id),
      );
      try {
        const changes = withStaleCleared(patchBody(sent, inOrder(left)), sent, outdated);
        const whole = withForeignMembers(held, changes, before);
        let product = await this.#change(own, whole);
        const kept = droppedMembersLeft(product, whole, before ?? {});
        if (kept !== null) product = await this.#change(own, kept);
        if (fields.includes('translations')) await this.#sendTranslations(own, body, before);
        return { kind: 'product', product, body: sent, refused };
      } catch (error) {
        const more = isCoded(error, 'invalid') ? refusedIdentifiers(sent, error.fields) : [];
        if (more.length === 0 || attempt > MOST_REFUSALS) throw error;
        refused.push(...more);
      }
    }
  }

  async #change(own: OwnProduct, changes: ProductBody): Promise<CatalogProduct> {
    const patch = (body: ProductBody): Promise<CatalogProduct> => own.patch(body);
    if (this.language === null) return patchClearing(patch, changes);
    const { texts, rest } = textsApart(changes);
    const patched = await patchClearing(patch, rest);
    return Object.keys(texts).length === 0 ? patched : own.postTexts(texts, this.language);
  }

  /** The merchant's texts in each further language. */
  async #sendTranslations(
    own: OwnProduct,
    body: CatalogProductBody,
    before: Partial<CatalogProductBody> | null,
  ): Promise<void> {
    for (const [locale, content] of localisedChanges(body, before, this.locales)) {
      const ours = before === null ? null : membersIn(locale, before);
      const whole =
        content.open_attributes === undefined
          ? content
          : withForeignMembers(await readProduct(this.client, own.catalogId, locale), content, ours);
      const kept = droppedMembersLeft(await own.postTexts(whole, locale), whole, ours ?? {});
      if (kept !== null) await own.postTexts(kept, locale);
    }
  }

  /**
   * Ends our part in a product whose source is gone: it is deleted, or only frees its identifiers. A product that no longer exists needs
   * neither. Throws `LostLinkError` where it is somebody else's by now.
   */
  async leave(
    { catalogId, externalId, deleted }: LeavingProduct,
    held: readonly Identifier[],
    beforeSend: () => void,
  ): Promise<void> {
    const own = new OwnProduct(this.client, catalogId, externalId, beforeSend);
    try {
      if (deleted) await own.remove();
      else if (held.length > 0)
        await patchClearing((changes) => own.patchOrphan(changes), orphanReleaseBody(externalId, held));
    } catch (error) {
      if (!isCoded(error, 'not_found')) throw error;
    }
  }
}

/**
 * PATCH, and what it cleared proved: a service may clear by null or by an empty text, refuse the other, or ignore it. Throws `invalid`
 * when neither clears an identifier.
 */
async function patchClearing(
  patch: (body: ProductBody) => Promise<CatalogProduct>,
  body: ProductBody,
): Promise<CatalogProduct> {
  let product: CatalogProduct;
  try {
    product = await patch(body);
  } catch (error) {
    if (!isCoded(error, 'invalid') || !refusesClearing(body, error)) throw error;
    return patch(clearedByBlank(body));
  }
  if (!stillHolds(product, body)) return product;
  try {
    return await patch(clearedByBlank(body));
  } catch (error) {
    // The answer showed no variants: null may have cleared them, and this service refuses an empty text.
    if (product.variants == null && isCoded(error, 'invalid')) return product;
    throw error;
  }
}

/** The attributes that we sent in the language. Those of the primary language show there as long as it has none of its own. */
function membersIn(locale: string, before: Partial<CatalogProductBody>): Partial<CatalogProductBody> {
  return {
    open_attributes: { ...before.open_attributes, ...before.translations?.[locale]?.open_attributes },
  };
}

/** True when the answer shows an identifier that was to be cleared, or when it cannot show it because it leaves the variants out. */
function stillHolds(product: Pick<CatalogProduct, 'variants'> & CatalogVariant, body: ProductBody): boolean {
  if (showsCleared(product, body)) return true;
  return (body.variants ?? []).some((variant) => {
    if (!IDENTIFIER_KINDS.some((kind) => variant[kind] === null)) return false;
    if (product.variants == null) return true;
    const answered = product.variants.find((each) => each.external_id === variant.external_id);
    return answered !== undefined && showsCleared(answered, variant);
  });
}

function showsCleared(shown: CatalogVariant, body: Pick<ProductBody, IdentifierKind>): boolean {
  return IDENTIFIER_KINDS.some((kind) => body[kind] === null && (shown[kind] ?? '') !== '');
}

/** True when every field that the refusal names was to be cleared by null. */
function refusesClearing(body: ProductBody, error: CodedError): boolean {
  const named = Object.keys(error.fields ?? {});
  return named.length > 0 && named.every((path) => valueAt(body, path.split('.')) === null);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null
        ? Object.entries(at).find(([name]) => name === key)?.[1]
        : undefined,
    value,
  );
}

function clearedByBlank(body: ProductBody): ProductBody {
  const own = Object.fromEntries(Object.entries(body).map(([field, value]) => [field, value ?? '']));
  return body.variants == null ? own : { ...own, variants: body.variants.map(clearedByBlank) };
}

function inOrder(fields: readonly CatalogField[]): CatalogField[] {
  return CATALOG_FIELDS.filter((field) => fields.includes(field));
}

/** The part of an update that belongs to a language, and the rest. */
function textsApart(body: ProductBody): { texts: ProductBody; rest: ProductBody } {
  const entries = Object.entries(body);
  const isText = (field: string): boolean => LANGUAGE_FIELDS.some((each) => each === field);
  return {
    texts: Object.fromEntries(entries.filter(([field]) => isText(field))),
    rest: Object.fromEntries(entries.filter(([field]) => !isText(field))),
  };
}
