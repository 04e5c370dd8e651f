import { metafieldName, type MetafieldKey } from '../../domain/metafield-key.js';
import { VARIANT_GID } from './mapper.js';
import { CodedError, isCoded } from '../../domain/errors.js';
import { STORE_FIELDS, type StoreField, type StoreWriteOptions } from '../../domain/store-port.js';
import type { MetafieldOutcome, MetafieldWrite } from './api-types.js';
import type { ShopifyClient } from './client.js';
import { METAFIELDS_DELETE, METAFIELDS_SET, PRODUCT_UPDATE } from './documents.js';
import { contentFields, type LiveReader } from './live-reader.js';
import { entryIndex, refusalDetails } from './refusal.js';
import { metafieldsDeleteData, metafieldsSetData, productUpdateData, type UserError } from './schemas.js';
import type { Taxonomy } from './taxonomy.js';

type FieldValues = Readonly<Partial<Record<StoreField, string>>>;

/** The store accepts no more in one call. */
const METAFIELDS_PER_CALL = 25;

export class ProductWriter {
  constructor(
    private readonly client: ShopifyClient,
    private readonly reader: LiveReader,
    private readonly taxonomy: Pick<Taxonomy, 'find'>,
  ) {}

  /** One productUpdate with only the given fields. Returns the stored value of each of them. */
  async fields(
    id: string,
    fields: FieldValues,
    options: StoreWriteOptions = {},
  ): Promise<Partial<Record<StoreField, string | null>>> {
    const written = STORE_FIELDS.filter((field) => fields[field] !== undefined);
    if (written.length === 0) return {};
    const product = await this.updateInput(id, fields);
    const withSeo = product['seo'] !== undefined;
    const variables = { product, withSeo, withCategory: fields.category !== undefined };
    const { data } = await this.client.run(PRODUCT_UPDATE, variables, productUpdateData, options);
    const { product: stored, userErrors } = data.productUpdate;
    // A refusal returns the unchanged product, so the errors decide. A response without a product means that the
    // product does not exist.
    if (stored === null)
      throw new CodedError('not_found', `the store has no product ${id}`, refusalDetails(userErrors));
    if (userErrors.length > 0) {
      throw new CodedError(
        'invalid',
        `the store refused the new content of ${id}`,
        refusalDetails(userErrors),
      );
    }
    const now = contentFields(stored);
    return Object.fromEntries(written.map((field) => [field, now[field]]));
  }

  /**
   * The outcome of each entry, in the given order. metafieldsSet writes all or nothing, so refused entries are
   * removed and the rest is sent again.
   */
  async metafields(
    id: string,
    writes: readonly MetafieldWrite[],
    options: StoreWriteOptions = {},
  ): Promise<readonly MetafieldOutcome[]> {
    const outcomes = new Map<MetafieldWrite, MetafieldOutcome>();
    for (let at = 0; at < writes.length; at += METAFIELDS_PER_CALL) {
      await this.setTogether(id, writes.slice(at, at + METAFIELDS_PER_CALL), outcomes, options);
    }
    return writes.flatMap((write) => outcomes.get(write) ?? []);
  }

  /** Removing an absent metafield is not an error. Throws `invalid` when the store refuses. */
  async removeMetafields(
    id: string,
    metafields: readonly MetafieldKey[],
    options: StoreWriteOptions = {},
  ): Promise<void> {
    for (let at = 0; at < metafields.length; at += METAFIELDS_PER_CALL) {
      const chunk = metafields.slice(at, at + METAFIELDS_PER_CALL);
      const variables = {
        metafields: chunk.map(({ namespace, key, variant }) => ({
          ownerId: ownerOf(id, variant),
          namespace,
          key,
        })),
      };
      const { data } = await this.client.run(METAFIELDS_DELETE, variables, metafieldsDeleteData, options);
      const { userErrors } = data.metafieldsDelete;
      if (userErrors.length > 0) {
        throw new CodedError(
          'invalid',
          `the store refused to remove metafields of ${id}`,
          refusalDetails(userErrors),
        );
      }
    }
  }

  private async updateInput(id: string, fields: FieldValues): Promise<Record<string, unknown>> {
    const input: Record<string, unknown> = { id };
    for (const field of ['title', 'descriptionHtml', 'vendor', 'productType'] as const) {
      if (fields[field] !== undefined) input[field] = fields[field];
    }
    if (fields.category !== undefined) input['category'] = await this.categoryId(fields.category);
    let title: string | null | undefined = fields['seo.title'];
    let description: string | null | undefined = fields['seo.description'];
    if (title === undefined && description === undefined) return input;
    if (title === undefined || description === undefined) {
      // `seo` is one input. An omitted half might be cleared, so its current value is sent.
      const live = await this.reader.read(id, null);
      if (live === null) throw new CodedError('not_found', `the store has no product ${id}`);
      title ??= live.fields['seo.title'] ?? null;
      description ??= live.fields['seo.description'] ?? null;
    }
    return { ...input, seo: { title: title ?? '', description: description ?? '' } };
  }

  /** The id of the category with that full name; null empties the field. */
  private async categoryId(fullName: string): Promise<string | null> {
    if (fullName === '') return null;
    const [found, ...more] = await this.taxonomy.find(fullName);
    if (found !== undefined && more.length === 0) return found.id;
    throw new CodedError('invalid', `the store has no category ${fullName.slice(0, 200)}`);
  }

  private async setTogether(
    id: string,
    chunk: readonly MetafieldWrite[],
    outcomes: Map<MetafieldWrite, MetafieldOutcome>,
    options: StoreWriteOptions,
  ): Promise<void> {
    let open = chunk;
    while (open.length > 0) {
      const result = await this.setOnce(id, open, options);
      if (result.errors.length === 0) {
        for (const write of open) outcomes.set(write, writtenOutcome(id, write, result.stored));
        return;
      }
      const refused = new Map<MetafieldWrite, UserError>();
      for (const error of result.errors) {
        const write = open[entryIndex(error) ?? -1];
        if (write !== undefined) refused.set(write, error);
      }
      const [first, ...more] = open;
      if (refused.size === 0 && more.length > 0) {
        // The store does not name the entry, so each is sent by itself.
        for (const write of open) await this.setTogether(id, [write], outcomes, options);
        return;
      }
      if (refused.size === 0 && first !== undefined && result.errors[0] !== undefined)
        refused.set(first, result.errors[0]);
      for (const [write, error] of refused) outcomes.set(write, refusedOutcome(write, error));
      open = open.filter((write) => !refused.has(write));
    }
  }

  private async setOnce(
    id: string,
    writes: readonly MetafieldWrite[],
    options: StoreWriteOptions,
  ): Promise<{ errors: readonly UserError[]; stored: readonly StoredMetafield[] }> {
    const metafields = writes.map(({ namespace, key, variant, type, value, expectedDigest }) => ({
      ownerId: ownerOf(id, variant),
      namespace,
      key,
      type,
      value,
      compareDigest: expectedDigest,
    }));
    try {
      const withOwner = writes.some(({ variant }) => variant !== undefined);
      const variables = { metafields, withOwner };
      const { data } = await this.client.run(METAFIELDS_SET, variables, metafieldsSetData, options);
      return { errors: data.metafieldsSet.userErrors, stored: data.metafieldsSet.metafields ?? [] };
    } catch (error) {
      // The request was refused as a whole because of one or more entries, so each entry is tried by itself.
      if (isCoded(error, 'invalid')) return { errors: [{ message: error.message }], stored: [] };
      throw error;
    }
  }
}

/** The id of the variant that owns a metafield, or of the product. */
function ownerOf(productId: string, variant: string | undefined): string {
  return variant === undefined ? productId : `${VARIANT_GID}${variant}`;
}

interface StoredMetafield {
  /** Absent when all metafields are the product's. */
  readonly owner?: { readonly id: string } | undefined;
  readonly namespace: string;
  readonly key: string;
  readonly value: string;
  readonly compareDigest: string;
}

function writtenOutcome(
  productId: string,
  write: MetafieldWrite,
  stored: readonly StoredMetafield[],
): MetafieldOutcome {
  const { namespace, key, variant } = write;
  const found = stored.findLast(
    (metafield) =>
      metafield.namespace === namespace &&
      metafield.key === key &&
      (metafield.owner?.id ?? productId) === ownerOf(productId, variant),
  );
  if (found === undefined) {
    const text = `the store set ${metafieldName(write)} but does not show it`;
    throw new CodedError('transient', text, { outcomeUnknown: true });
  }
  return { ...nameOf(write), outcome: 'written', value: found.value, digest: found.compareDigest };
}

function refusedOutcome(write: MetafieldWrite, error: UserError): MetafieldOutcome {
  const changed = error.code === 'STALE_OBJECT' || error.code === 'INVALID_COMPARE_DIGEST';
  return { ...nameOf(write), outcome: changed ? 'changed_meanwhile' : 'refused', reason: error.message };
}

function nameOf({ namespace, key, variant }: MetafieldKey): MetafieldKey {
  return { namespace, key, ...(variant === undefined ? {} : { variant }) };
}
