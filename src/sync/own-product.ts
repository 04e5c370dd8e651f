import type { UpsertOutcome, WriteOptions } from '../catalog/call-options.js';
import type { CatalogClient } from '../catalog/client.js';
import type { ProductBody } from '../catalog/product-body.js';
import type { CatalogProduct, CatalogVariant } from '../catalog/schemas.js';
import { isMetWith } from '../domain/error-policy.js';
import { CodedError, isCoded } from '../domain/errors.js';
import { isForeign, isSameExternalId } from '../domain/external-id.js';

/** The linked catalog product has another system's external_id by now: it is never written again. */
export class LostLinkError extends CodedError {
  constructor({ id }: Pick<CatalogProduct, 'id'>, owner: string) {
    super('conflict', `catalog product ${String(id)} belongs to ${owner} now`, { side: 'catalog' });
  }
}

/** A body that names the product by its external_id. */
type NamedBody = ProductBody & { readonly external_id: string };

/**
 * The one way to change or delete a product of the catalog that is linked. The id in the link is a memory: another system's POST may have
 * matched the product since, and taken it over. So each write needs an answer at hand that shows our external_id, and the answer of each
 * write is checked again (docs/decisions/0005-identity.md). Throws `LostLinkError` where an answer shows somebody else's.
 */
export class OwnProduct {
  #shown: CatalogProduct | null = null;

  constructor(
    private readonly client: CatalogClient,
    readonly catalogId: string,
    private readonly externalId: string,
    private readonly beforeSend: () => void,
  ) {}

  /** The product as the newest answer shows it, read by its id where there is none. */
  async shown(): Promise<CatalogProduct> {
    return this.#shown ?? this.#proved(await readProduct(this.client, this.catalogId));
  }

  /** Takes an answer of this moment as the proof, in place of a read. */
  showing(answer: CatalogProduct): this {
    this.#proved(answer);
    return this;
  }

  /** PATCH. A product without an external_id gets ours: it is adopted, or had lost it. An empty change of ours sends nothing. */
  async patch(changes: ProductBody): Promise<CatalogProduct> {
    const shown = await this.shown();
    const isNamed = isSameExternalId(shown.external_id, this.externalId);
    if (isNamed && Object.keys(changes).length === 0) return shown;
    const body = isNamed ? changes : { ...changes, external_id: this.externalId };
    return this.#proved(
      await this.client.updateProduct(this.catalogId, body, { beforeSend: this.beforeSend }),
    );
  }

  /** Sends texts in a language by POST. It names the product by its external_id and by nothing that could match another one. */
  async postTexts(texts: ProductBody, locale: string): Promise<CatalogProduct> {
    await this.patch({});
    const body = { ...texts, external_id: this.externalId };
    const outcome = await postOwn(this.client, body, { locale, beforeSend: this.beforeSend });
    if (outcome.kind === 'product' && String(outcome.product.id) === this.catalogId) return outcome.product;
    throw new CodedError(
      'conflict',
      `the texts of ${this.externalId} reached another catalog product than ${this.catalogId}`,
      { side: 'catalog' },
    );
  }

  /**
   * Throws `conflict` where a variant belongs to another system by now. A service may replace the set of variants by the one that is
   * sent, or match a variant by an identifier, so that none of them may be sent then.
   */
  async refuseTakenVariants(): Promise<void> {
    const taken = await this.#takenVariant();
    if (taken === null) return;
    throw new CodedError(
      'conflict',
      `variant ${String(taken.id ?? '')} of its catalog product belongs to ${taken.external_id ?? ''} now: the variants are left as they are`,
      { side: 'catalog' },
    );
  }

  /** DELETE. Without our external_id on the product nothing proves that it may go, and a variant that another system took over stays. */
  async remove(): Promise<void> {
    const shown = await this.#shownAsOurs();
    const taken = await this.#takenVariant();
    if (taken !== null) throw new LostLinkError({ id: taken.id ?? shown.id }, taken.external_id ?? '');
    await this.client.deleteProduct(this.catalogId, { beforeSend: this.beforeSend });
  }

  /** PATCH of a product whose source is gone. Only one that still has our external_id is changed. */
  async patchOrphan(changes: ProductBody): Promise<CatalogProduct> {
    const shown = await this.#shownAsOurs();
    const taken = changes.variants == null ? null : await this.#takenVariant();
    if (taken !== null) throw new LostLinkError({ id: taken.id ?? shown.id }, taken.external_id ?? '');
    return this.patch(changes);
  }

  async #shownAsOurs(): Promise<CatalogProduct> {
    const shown = await this.shown();
    if (!isSameExternalId(shown.external_id, this.externalId)) throw new LostLinkError(shown, 'nobody');
    return shown;
  }

  /** An answer may leave the variants out: they have a path of their own. */
  async #takenVariant(): Promise<CatalogVariant | null> {
    const { variants, is_product_model: isModel } = await this.shown();
    const isTaken = ({ external_id: held }: CatalogVariant): boolean => isTakenVariant(held, this.externalId);
    if (variants != null || isModel !== true) return variants?.find(isTaken) ?? null;
    try {
      for await (const variant of this.client.iterateVariants(this.catalogId))
        if (isTaken(variant)) return variant;
    } catch (error) {
      // A service without a list of variants shows none to anybody.
      if (!isMetWith(error, 'variants', 'give_up')) throw error;
    }
    return null;
  }

  #proved(answer: CatalogProduct): CatalogProduct {
    if (isForeign(answer.external_id, this.externalId))
      throw new LostLinkError(answer, answer.external_id ?? '');
    this.#shown = answer;
    return answer;
  }
}

/** POST updates whatever it matches; an answer about somebody else's product must not become our link. */
export async function postOwn(
  client: CatalogClient,
  body: NamedBody,
  options: WriteOptions = {},
): Promise<UpsertOutcome> {
  const outcome = await client.upsertProduct(body, options);
  if (outcome.kind === 'product' && isForeign(outcome.product.external_id, body.external_id))
    throw new CodedError(
      'conflict',
      `the catalog matched product ${String(outcome.product.id)} of ${outcome.product.external_id ?? ''}: it is not linked`,
      { side: 'catalog' },
    );
  return outcome;
}

/** In the language. A service may answer 404 where the product has nothing in it: then in the service's own language. */
export async function readProduct(
  client: CatalogClient,
  catalogId: string,
  locale?: string,
): Promise<CatalogProduct> {
  try {
    return await client.getProduct(catalogId, locale === undefined ? {} : { locale });
  } catch (error) {
    if (!isCoded(error, 'not_found')) throw error;
    return client.getProduct(catalogId, { locale: null });
  }
}

/** Our variants have our external_ids, which begin with that of their product. */
function isTakenVariant(held: string | null | undefined, product: string): boolean {
  return (
    isForeign(held, product) && !isSameExternalId(held?.trim().slice(0, product.length + 1), `${product}:`)
  );
}
