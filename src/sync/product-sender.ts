import type { CatalogClient } from '../catalog/client.js';
import type { ProductBody } from '../catalog/product-body.js';
import type { CatalogProduct, CatalogVariant } from '../catalog/schemas.js';
import type { Store } from '../sites/sites.js';
import {
  CATALOG_FIELDS,
  IDENTIFIER_KINDS,
  type CatalogField,
  type CatalogProductBody,
  type Identifier,
} from '../domain/catalog-product.js';
import { CodedError, isCoded } from '../domain/errors.js';
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
import { findByExternalId } from './find-product.js';
import { droppedMembersLeft, withForeignMembers } from './foreign-members.js';
import { localisedChanges, withoutTranslations } from './localised-texts.js';
import { languageOfUpdates, sendTexts, textsApart } from './update-product.js';

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
    /** The language that texts are sent in by POST; null where PATCH serves. */
    private readonly language: string | null = null,
    /** The further languages whose texts are sent. */
    private readonly locales: readonly string[] = [],
  ) {}

  static of({ workspace, settings }: Pick<Store, 'workspace' | 'settings'>): ProductSender {
    const { locales } = settings.writeBack;
    return new ProductSender(workspace.client, languageOfUpdates(workspace), locales);
  }

  /** Creates a product, or finds the one that an earlier attempt created. */
  async create(body: CatalogProductBody, options: SendOptions): Promise<Sent> {
    if (options.attempted) {
      const found = await findByExternalId(this.client, body);
      if (found) return this.update(String(found.id), body, filledFields(body), options);
    }
    const posted = withoutTranslations(options.proved ? body : bareBody(body));
    try {
      const result = await this.client.upsertProduct(posted, { beforeSend: options.beforeSend });
      if (result.kind === 'background') return { kind: 'background', taskId: result.taskId, body: posted };
      assertOurs(result.product, body);
      const missing = options.proved ? [] : identifierFields(body);
      const catalogId = String(result.product.id);
      if (missing.length > 0 || options.stale.length > 0) {
        const fields: CatalogField[] =
          body.translations === undefined ? missing : [...missing, 'translations'];
        return await this.update(catalogId, body, fields, options);
      }
      await this.#sendTranslations(catalogId, body, null, options.beforeSend);
      return { kind: 'product', product: result.product, body, refused: [] };
    } catch (error) {
      if (!isCoded(error, 'conflict')) throw error;
      const found = await findByExternalId(this.client, body);
      if (!found) throw error;
      return this.update(String(found.id), body, filledFields(body), options);
    }
  }

  /**
   * Sends the named fields of a product that exists. Stale identifiers are released first. An identifier that the catalog refuses is
   * left out and returned. A refusal of any other field is thrown.
   */
  async update(
    catalogId: string,
    body: CatalogProductBody,
    fields: readonly CatalogField[],
    {
      stale,
      withheld = [],
      beforeSend,
      before,
    }: Pick<SendOptions, 'stale' | 'withheld' | 'beforeSend' | 'before'>,
  ): Promise<Sent & { readonly kind: 'product' }> {
    const held = [...stale, ...withheld];
    const clearing = fieldsThatClear(body, fields, stale);
    const release = releaseBody(body, held);
    if (release !== null) await this.#patch(catalogId, release, beforeSend);
    const refused: WithheldIdentifier[] = [];
    for (let attempt = 1; ; attempt += 1) {
      const sent = withoutIdentifiers(body, refused);
      const left = clearing.filter(
        (field) => !refused.some(({ kind, owner }) => kind === field && owner === body.external_id),
      );
      try {
        const changes = withStaleCleared(patchBody(sent, inOrder(left)), sent, held);
        const whole = await withForeignMembers(this.client, catalogId, changes, before ?? null);
        let product = await this.#change(catalogId, body.external_id, whole, beforeSend);
        const kept = droppedMembersLeft(product, whole, before ?? {});
        if (kept !== null) product = await this.#change(catalogId, body.external_id, kept, beforeSend);
        if (fields.includes('translations'))
          await this.#sendTranslations(catalogId, body, before ?? null, beforeSend);
        return { kind: 'product', product, body: sent, refused };
      } catch (error) {
        const more = isCoded(error, 'invalid') ? refusedIdentifiers(sent, error.fields) : [];
        if (more.length === 0 || attempt > MOST_REFUSALS) throw error;
        refused.push(...more);
      }
    }
  }

  /** The PATCH comes first: it proves that the product exists and has the external_id by which the POST finds it. */
  async #change(
    catalogId: string,
    externalId: string,
    changes: ProductBody,
    beforeSend: () => void,
  ): Promise<CatalogProduct> {
    const named = { external_id: externalId };
    if (this.language === null) return this.#patch(catalogId, { ...changes, ...named }, beforeSend);
    const { texts, rest } = textsApart(changes);
    const patched = await this.#patch(catalogId, { ...rest, ...named }, beforeSend);
    if (Object.keys(texts).length === 0) return patched;
    const options = { locale: this.language, beforeSend };
    return sendTexts(this.client, catalogId, { ...texts, ...named }, options);
  }

  /**
   * The merchant's texts in each further language. The POST names the product by its external_id alone. An earlier
   * request proved that the product has it, so the POST neither creates a product nor matches another one.
   */
  async #sendTranslations(
    catalogId: string,
    body: CatalogProductBody,
    before: Partial<CatalogProductBody> | null,
    beforeSend: () => void,
  ): Promise<void> {
    for (const [locale, content] of localisedChanges(body, before, this.locales)) {
      const ours = before === null ? null : membersIn(locale, before);
      const whole = await withForeignMembers(this.client, catalogId, content, ours, locale);
      const send = (texts: ProductBody): Promise<CatalogProduct> =>
        sendTexts(
          this.client,
          catalogId,
          { ...texts, external_id: body.external_id },
          { locale, beforeSend },
        );
      const kept = droppedMembersLeft(await send(whole), whole, ours ?? {});
      if (kept !== null) await send(kept);
    }
  }

  /** Frees the identifiers of a product whose source is gone. A product that no longer exists holds none. */
  async release(
    catalogId: string,
    externalId: string,
    held: readonly Identifier[],
    beforeSend: () => void,
  ): Promise<void> {
    if (held.length === 0) return;
    await ifThere(() => this.#patch(catalogId, orphanReleaseBody(externalId, held), beforeSend));
  }

  /** Deletes a product whose source is gone. */
  async remove(catalogId: string, beforeSend: () => void): Promise<void> {
    beforeSend();
    await ifThere(() => this.client.deleteProduct(catalogId));
  }

  /**
   * PATCH, and what it cleared proved: a service may clear by null or by an empty text, refuse the other, or ignore it. Throws
   * `invalid` when neither clears an identifier.
   */
  async #patch(catalogId: string, body: ProductBody, beforeSend: () => void): Promise<CatalogProduct> {
    let product: CatalogProduct;
    try {
      product = await this.client.updateProduct(catalogId, body, { beforeSend });
    } catch (error) {
      if (!isCoded(error, 'invalid') || !refusesClearing(body, error)) throw error;
      return this.client.updateProduct(catalogId, clearedByBlank(body), { beforeSend });
    }
    if (!stillHolds(product, body)) return product;
    try {
      return await this.client.updateProduct(catalogId, clearedByBlank(body), { beforeSend });
    } catch (error) {
      // The answer showed no variants: null may have cleared them, and this service refuses an empty text.
      if (product.variants == null && isCoded(error, 'invalid')) return product;
      throw error;
    }
  }
}

/** The attributes that we sent in the language. Those of the primary language show there as long as it has none of its own. */
function membersIn(locale: string, before: Partial<CatalogProductBody>): Partial<CatalogProductBody> {
  return {
    open_attributes: { ...before.open_attributes, ...before.translations?.[locale]?.open_attributes },
  };
}

/** True when the answer shows an identifier that was to be cleared, or when it cannot show it because it leaves the variants out. */
function stillHolds(product: CatalogVariant, body: ProductBody): boolean {
  if (IDENTIFIER_KINDS.some((kind) => body[kind] === null && (product[kind] ?? '') !== '')) return true;
  return (body.variants ?? []).some((variant) => {
    if (!IDENTIFIER_KINDS.some((kind) => variant[kind] === null)) return false;
    if (product.variants == null) return true;
    const answered = product.variants.find((each) => each.external_id === variant.external_id);
    return answered !== undefined && stillHolds(answered, variant);
  });
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

async function ifThere(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isCoded(error, 'not_found')) throw error;
  }
}

/** POST updates whatever it matches; an answer about somebody else's product must not become our link. */
function assertOurs(product: CatalogProduct, body: CatalogProductBody): void {
  const answered = product.external_id;
  if (answered === null || answered === undefined || answered === '' || answered === body.external_id) return;
  throw new CodedError(
    'conflict',
    `the catalog matched product ${String(product.id)} of ${answered}: it is not linked`,
  );
}
