import type { CatalogProduct } from '../catalog/schemas.js';
import { reactionTo } from '../domain/error-policy.js';
import { CodedError, errorLine, type ErrorCode } from '../domain/errors.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import type { StoreProductEntity } from '../persistence/entities/index.js';
import { intendedValues } from '../planner/generated-content.js';
import { intendedTranslations } from '../planner/translations.js';
import type { Store, Workspace } from '../sites/sites.js';

/** What a result means for the store, and the languages that it lacks. */
export interface ResultContent {
  readonly intended: readonly IntendedValue[];
  readonly missing: readonly { readonly locale: string; readonly code: ErrorCode; readonly reason: string }[];
}

/**
 * The content of a result, translations included (docs/catalog-rules.md#general, locale); a delivery without a product is
 * completed by the catalog. A language that the catalog refuses is left out with its reason. One that it cannot give now throws
 * while `mayWait`, and is left out afterwards: the primary text is not lost for its sake.
 */
export async function resultContent(
  store: Store,
  workspace: Workspace,
  link: StoreProductEntity,
  delivered: CatalogProduct | null | undefined,
  mayWait: boolean,
): Promise<ResultContent> {
  const { writeBack } = store.settings;
  const product = delivered ?? (await fetched(workspace, link));
  if (writeBack.mode === 'off') return { intended: [], missing: [] };
  const intended = intendedValues(product, writeBack);
  const missing: { locale: string; code: ErrorCode; reason: string }[] = [];
  for (const locale of intended.length === 0 ? [] : writeBack.locales) {
    try {
      const translated = await fetched(workspace, link, locale);
      intended.push(...intendedTranslations(product, translated, locale, writeBack));
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      if (mayWait && reactionTo('interpret', error) === 'retry') throw error;
      missing.push({ locale, code: error.code, reason: errorLine(error) });
    }
  }
  return { intended, missing };
}

async function fetched(
  workspace: Workspace,
  link: StoreProductEntity,
  locale?: string,
): Promise<CatalogProduct> {
  if (link.catalogId === null) throw new CodedError('transient', 'the product is not linked yet');
  return workspace.client.getProduct(link.catalogId, locale === undefined ? {} : { locale });
}
