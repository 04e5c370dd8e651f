import type { CatalogProduct } from '../catalog/schemas.js';
import type { ArrivedPart } from '../domain/arrived-content.js';
import { reactionTo } from '../domain/error-policy.js';
import { CodedError, errorLine, isCoded, type ErrorCode } from '../domain/errors.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { BACKOFF } from '../domain/backoff.js';
import type { GenerationTaskEntity, StoreProductEntity } from '../persistence/entities/index.js';
import { isForeign, parseExternalId } from '../domain/external-id.js';
import { arrivedForVariants, arrivedParts } from '../planner/arrived-content.js';
import { withHtmlDescription } from '../planner/description.js';
import { intendedForVariants, intendedValues, variantsOf } from '../planner/generated-content.js';
import {
  catalogFields,
  holdsNewContent,
  intendedContent,
  type CatalogFields,
} from '../planner/catalog-content.js';
import { contentFingerprint } from '../planner/content-fingerprint.js';
import { intendedTranslations } from '../planner/translations.js';
import type { Store, Workspace } from '../connections/connections.js';
import { ForeignProductError, refuseForeign } from './foreign-product.js';
import type { ReceivedDelivery } from './received-delivery.js';

/** The values of a result for the store, and the languages that it lacks. */
export interface ResultContent {
  readonly intended: readonly IntendedValue[];
  /** Every field and attribute that it brought. */
  readonly arrived: readonly ArrivedPart[];
  /** Hashes of what the result shows of the catalog product; null when its text in the workspace's language could not be had. */
  readonly held: CatalogFields | null;
  /** True when the catalog was asked for the product just now. */
  readonly isLive: boolean;
  readonly missing: readonly {
    readonly locale: string;
    readonly code: ErrorCode;
    readonly reason: string;
  }[];
}

/**
 * The content of a result, translations included (docs/catalog-rules.md#general, locale). A language that the catalog refuses is
 * left out with its reason. One that it cannot give now throws while the delivery may wait, and is left out afterwards: the primary
 * text is not lost for its sake.
 */
export async function resultContent(
  store: Store,
  link: StoreProductEntity,
  delivery: ReceivedDelivery,
  task: GenerationTaskEntity | null,
): Promise<ResultContent> {
  const { writeBack } = store.settings;
  const { workspace } = delivery;
  const given = await primaryProduct(link, delivery);
  if (given === null)
    return { intended: [], arrived: [], held: null, missing: [noText(workspace)], isLive: true };
  const { product, isLive } = await upToDate(given, link, task, store, delivery);
  const held = catalogFields(product);
  if (writeBack.mode === 'off') return { intended: [], arrived: [], held, missing: [], isLive };
  const generated = withHtmlDescription(product, link.pushedFields);
  const own = intendedValues(generated, writeBack);
  const intended = [...own];
  const arrived = arrivedParts(generated, own, writeBack, link.pushedFields);
  const missing: ResultContent['missing'][number][] = [];
  for (const locale of own.length === 0 ? [] : writeBack.locales) {
    try {
      const translated = await fetched(workspace, link, locale);
      const derived = withHtmlDescription(translated, link.pushedFields, { locale, primary: product });
      intended.push(...intendedTranslations(own, derived, locale, writeBack));
    } catch (error) {
      if (!(error instanceof CodedError) || error instanceof ForeignProductError) throw error;
      if (mayBeRetried(delivery, error)) throw error;
      missing.push({ locale, code: error.code, reason: errorLine(error) });
    }
  }
  const variants = variantsOf(product);
  const ofVariants = intendedForVariants(variants, writeBack);
  return {
    held,
    missing,
    isLive,
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
  const { product } = delivery.body;
  const none = { intended: [], arrived: [] };
  if (number === undefined || product == null || isForeign(product.external_id, variant)) return none;
  const given = await primaryProduct({ externalId: variant, catalogId: String(product.id) }, delivery);
  if (given === null) return none;
  const content = given.product;
  const { writeBack } = store.settings;
  const variants = [{ number, content }];
  const intended = intendedForVariants(variants, writeBack);
  return { intended, arrived: arrivedForVariants(variants, intended, writeBack) };
}

/** Fingerprint of the content that the catalog product holds now; null when it cannot be read. */
export async function liveContent(
  { settings: { writeBack } }: Store,
  link: StoreProductEntity,
  delivery: ReceivedDelivery,
): Promise<string | null> {
  try {
    const product = await fetched(delivery.workspace, link, delivery.workspace.settings.locale);
    return contentFingerprint(intendedContent(withHtmlDescription(product, link.pushedFields), writeBack));
  } catch (error) {
    if (!(error instanceof CodedError) || error instanceof ForeignProductError) throw error;
    // The client has tried for a while. The dates and the receipt decide then.
    return null;
  }
}

/** A product as the delivery brought it, or as the catalog answers it now. */
interface Given {
  readonly product: CatalogProduct;
  readonly isLive: boolean;
}

/**
 * A delivery may show the product as it was before the generation that it reports. Where it holds nothing new, the catalog is asked
 * for what it holds now.
 */
async function upToDate(
  given: Given,
  link: StoreProductEntity,
  task: GenerationTaskEntity | null,
  { settings: { writeBack } }: Store,
  { row, workspace }: ReceivedDelivery,
): Promise<Given> {
  const before = task === null ? link.catalogFields : task.askedFields;
  const isNew = ({ product }: Given): boolean =>
    before === null || holdsNewContent(product, before, link.pushedFields, writeBack);
  const isSettled = task !== null && task.state !== 'requested';
  if (given.isLive || row.via === 'poll' || isSettled || isNew(given)) return given;
  try {
    const now = { product: await fetched(workspace, link, workspace.settings.locale), isLive: true };
    return isNew(now) ? now : given;
  } catch (error) {
    if (!(error instanceof CodedError) || error instanceof ForeignProductError) throw error;
    // The sweep finds the content when the catalog shows it.
    return given;
  }
}

/**
 * The product in the workspace's language. A delivery's own product proves nothing about its language: where a language is
 * configured, the catalog is asked for it; a poll has done so already. Null when the catalog has no text in that language.
 */
async function primaryProduct(
  link: Linked,
  { workspace, row, body }: ReceivedDelivery,
): Promise<Given | null> {
  const { locale } = workspace.settings;
  if (body.product != null && (locale === undefined || row.via === 'poll'))
    return { product: body.product, isLive: false };
  try {
    return { product: await fetched(workspace, link, locale), isLive: true };
  } catch (error) {
    // The delivery shows that the product exists: what is not there is its text.
    if (body.product != null && isCoded(error, 'not_found')) return null;
    throw error;
  }
}

function noText({ settings }: Workspace): ResultContent['missing'][number] {
  const locale = settings.locale ?? '';
  return { locale, code: 'not_found', reason: 'the catalog has no text of this product in the language' };
}

/** True for an error that may pass, while the delivery has attempts left. */
function mayBeRetried({ row }: ReceivedDelivery, error: CodedError): boolean {
  return BACKOFF.delivery.stepMs(row.attempts) !== null && reactionTo('interpret', error) === 'retry';
}

type Linked = Pick<StoreProductEntity, 'externalId' | 'catalogId'>;

async function fetched(
  workspace: Workspace,
  link: Linked,
  locale: string | undefined,
): Promise<CatalogProduct> {
  if (link.catalogId === null) throw new CodedError('transient', 'the product is not linked yet');
  const product = await workspace.client.getProduct(link.catalogId, locale === undefined ? {} : { locale });
  refuseForeign(link, product);
  return product;
}
