import { CodedError, isCoded } from '../../domain/errors.js';
import { keyInTarget } from '../../domain/metafield-key.js';
import {
  liveValue,
  STORE_FIELDS,
  type StoreField,
  type StoreWriteOptions,
  type WriteOutcome,
} from '../../domain/store-port.js';
import { changedMeanwhile, refused, type TextWrite, written } from '../outcomes.js';
import { writeAllOrNothing } from './all-or-nothing.js';
import type { ShopifyClient } from './client.js';
import { METAFIELDS_DELETE, METAFIELDS_SET, PRODUCT_UPDATE } from './documents.js';
import { contentFields, type LiveReader } from './live-reader.js';
import { VARIANT_GID } from './mapper.js';
import { refusalDetails } from './refusal.js';
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
    const names = STORE_FIELDS.filter((field) => fields[field] !== undefined);
    if (names.length === 0) return {};
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
    return Object.fromEntries(names.map((field) => [field, now[field]]));
  }

  /** The outcome of each metafield, in the given order. */
  metafields(
    id: string,
    writes: readonly TextWrite[],
    options: StoreWriteOptions = {},
  ): Promise<readonly WriteOutcome[]> {
    return writeAllOrNothing(writes, {
      most: METAFIELDS_PER_CALL,
      send: (some) => this.setMetafields(id, some, options),
      outcomeOf: ({ target }, stored) => storedOutcome(target, placeOf(id, target), stored),
      refusalOf: ({ target }, { code, message }) => {
        const isChanged = code === 'STALE_OBJECT' || code === 'INVALID_COMPARE_DIGEST';
        return isChanged ? changedMeanwhile(target, message) : refused(target, message);
      },
    });
  }

  /** Removing an absent metafield is not an error. Throws `invalid` when the store refuses. */
  async removeMetafields(
    id: string,
    targets: readonly string[],
    options: StoreWriteOptions = {},
  ): Promise<void> {
    for (let at = 0; at < targets.length; at += METAFIELDS_PER_CALL) {
      const chunk = targets.slice(at, at + METAFIELDS_PER_CALL);
      const variables = { metafields: chunk.map((target) => placeOf(id, target)) };
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
      const live = await this.reader.read(id, ['seo.title', 'seo.description']);
      if (live === null) throw new CodedError('not_found', `the store has no product ${id}`);
      title ??= liveValue(live, 'seo.title').value;
      description ??= liveValue(live, 'seo.description').value;
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

  private async setMetafields(
    id: string,
    writes: readonly TextWrite[],
    options: StoreWriteOptions,
  ): Promise<{ errors: readonly UserError[]; stored: readonly StoredMetafield[] }> {
    const metafields = writes.map(({ target, type, value, token }) => {
      const place = placeOf(id, target);
      return Object.assign(place, { type: type ?? 'single_line_text_field', value, compareDigest: token });
    });
    try {
      // Every returned object costs a point.
      const withOwner = metafields.some(({ ownerId }) => ownerId !== id);
      const variables = { metafields, withOwner };
      const { data } = await this.client.run(METAFIELDS_SET, variables, metafieldsSetData, options);
      const stored = data.metafieldsSet.metafields ?? [];
      return {
        errors: data.metafieldsSet.userErrors,
        stored: stored.map(({ owner, ...rest }) => Object.assign(rest, { ownerId: owner?.id ?? id })),
      };
    } catch (error) {
      // The request was refused as a whole because of one or more entries, so each entry is tried by itself.
      if (isCoded(error, 'invalid')) return { errors: [{ message: error.message }], stored: [] };
      throw error;
    }
  }
}

/** A metafield as the store names it: `ownerId` is the product's id, or that of one of its variants. */
interface OwnedMetafield {
  readonly ownerId: string;
  readonly namespace: string;
  readonly key: string;
}

interface StoredMetafield extends OwnedMetafield {
  readonly value: string;
}

function placeOf(productId: string, target: string): OwnedMetafield {
  const { namespace, key, variant } = keyInTarget(target);
  return { ownerId: variant === undefined ? productId : `${VARIANT_GID}${variant}`, namespace, key };
}

function storedOutcome(
  target: string,
  { ownerId, namespace, key }: OwnedMetafield,
  stored: readonly StoredMetafield[],
): WriteOutcome {
  const found = stored.findLast(
    (metafield) =>
      metafield.ownerId === ownerId && metafield.namespace === namespace && metafield.key === key,
  );
  if (found !== undefined) return written(target, found.value);
  const text = `the store set ${target} but does not show it`;
  throw new CodedError('transient', text, { outcomeUnknown: true });
}
