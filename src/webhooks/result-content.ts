import type { CatalogProduct } from '../catalog/schemas.js';
import type { ArrivedPart } from '../domain/arrived-content.js';
import { reactionTo } from '../domain/error-policy.js';
import { CodedError, errorLine, isCoded, type ErrorCode } from '../domain/errors.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import type { StoreProductEntity } from '../persistence/entities/index.js';
import { parseExternalId } from '../domain/external-id.js';
import { arrivedForVariants, arrivedParts } from '../planner/arrived-content.js';
import { withHtmlDescription } from '../planner/description.js';
import { intendedForVariants, intendedValues, variantsOf } from '../planner/generated-content.js';
import { catalogFields, type CatalogFields } from '../planner/catalog-content.js';
import { intendedTranslations } from '../planner/translations.js';
import type { Store, Workspace } from '../sites/sites.js';
import type { ReceivedDelivery } from './received-delivery.js';
import { messages } from './messages.js';

/** The values of a result for the store, and the languages that it lacks. */
export interface ResultContent {
  readonly intended: readonly IntendedValue[];
  /** Every field and attribute that it brought. */
  readonly arrived: readonly ArrivedPart[];
  /** Hashes of what the catalog product holds now; null when its text in the workspace's language could not be had. */
  readonly held: CatalogFields | null;
  readonly missing: readonly {
    readonly locale: string;
    readonly code: ErrorCode;
    readonly reason: string;
  }[];
}

/**
 * The content of a result, translations included (docs/catalog-rules.md#general, locale). A language that the catalog refuses is
 * left out with its reason. One that it cannot give now throws while `mayWait`, and is left out afterwards: the primary text is not
 * lost for its sake.
 */
export async function resultContent(
  store: Store,
  link: StoreProductEntity,
  delivery: ReceivedDelivery,
  mayWait: boolean,
): Promise<ResultContent> {
  const { writeBack } = store.settings;
  const { workspace } = delivery;
  const product = await primaryProduct(link.catalogId, delivery);
  if (product === null) return { intended: [], arrived: [], held: null, missing: [noText(workspace)] };
  const held = catalogFields(product);
  if (writeBack.mode === 'off') return { intended: [], arrived: [], held, missing: [] };
  const generated = withHtmlDescription(product, link.pushedFields);
  const own = intendedValues(generated, writeBack);
  const intended = [...own];
  const arrived = arrivedParts(generated, own, writeBack, link.pushedFields);
  const missing: { locale: string; code: ErrorCode; reason: string }[] = [];
  for (const locale of own.length === 0 ? [] : writeBack.locales) {
    try {
      const translated = await fetched(workspace, link.catalogId, locale);
      const derived = withHtmlDescription(translated, link.pushedFields, { locale, primary: product });
      intended.push(...intendedTranslations(own, derived, locale, writeBack));
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      if (mayWait && reactionTo('interpret', error) === 'retry') throw error;
      missing.push({ locale, code: error.code, reason: errorLine(error) });
    }
  }
  const variants = variantsOf(product);
  const ofVariants = intendedForVariants(variants, writeBack);
  return {
    held,
    missing,
    intended: [...intended, ...ofVariants],
    arrived: [...arrived, ...arrivedForVariants(variants, ofVariants, writeBack)],
  };
}

/** The content of a variant's own result. It goes to the variant's metafields, and never to its product. */
export async function variantContent(
  store: Store,
  variant: string,
  delivery: ReceivedDelivery,
): Promise<Pick<ResultContent, 'intended' | 'arrived'>> {
  const number = parseExternalId(variant)?.variantId;
  const catalogId = delivery.body.product?.id;
  const content = catalogId === undefined ? null : await primaryProduct(String(catalogId), delivery);
  if (number === undefined || content === null) return { intended: [], arrived: [] };
  const { writeBack } = store.settings;
  const variants = [{ number, content }];
  const intended = intendedForVariants(variants, writeBack);
  return { intended, arrived: arrivedForVariants(variants, intended, writeBack) };
}

/**
 * The product in the workspace's language. A delivery's own product proves nothing about its language: where a language is
 * configured, the catalog is asked for it; a poll has done so already. Null when the catalog has no text in that language.
 */
async function primaryProduct(
  catalogId: string | null,
  { workspace, row, body }: ReceivedDelivery,
): Promise<CatalogProduct | null> {
  const { locale } = workspace.settings;
  if (body.product != null && (locale === undefined || row.via === 'poll')) return body.product;
  try {
    return await fetched(workspace, catalogId, locale);
  } catch (error) {
    // The delivery shows that the product exists: what is not there is its text.
    if (body.product != null && isCoded(error, 'not_found')) return null;
    throw error;
  }
}

function noText({ settings }: Workspace): ResultContent['missing'][number] {
  const locale = settings.locale ?? '';
  return { locale, code: 'not_found', reason: messages.noProductText };
}

async function fetched(
  workspace: Workspace,
  catalogId: string | null,
  locale: string | undefined,
): Promise<CatalogProduct> {
  if (catalogId === null) throw new CodedError('transient', messages.notLinkedYet);
  return workspace.client.getProduct(catalogId, locale === undefined ? {} : { locale });
}
