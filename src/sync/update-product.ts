import type { ProductBody } from '../catalog/product-body.js';
import type { Workspace } from '../connections/connections.js';

/** Fields whose values belong to a language (docs/catalog-rules.md#general). */
const LANGUAGE_FIELDS: readonly string[] = ['name', 'description', 'html_description', 'open_attributes'];

/**
 * The language that updates of texts have to name; null where a PATCH reaches it. PATCH is not documented to take `locale`, so that
 * with a configured language the texts go by POST.
 */
export function languageOfUpdates({ settings }: Pick<Workspace, 'settings'>): string | null {
  return settings.locale ?? null;
}

/** The part of an update that belongs to a language, and the rest. */
export function textsApart(body: ProductBody): { texts: ProductBody; rest: ProductBody } {
  const entries = Object.entries(body);
  return {
    texts: Object.fromEntries(entries.filter(([field]) => LANGUAGE_FIELDS.includes(field))),
    rest: Object.fromEntries(entries.filter(([field]) => !LANGUAGE_FIELDS.includes(field))),
  };
}
