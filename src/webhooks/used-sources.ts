import type { CatalogDelivery } from '../catalog/schemas.js';
import { storableText } from '../domain/text.js';
import type { UsedSource } from '../domain/used-source.js';

const MOST = 50;
const LONGEST = 2000;

/** The pages of a delivery's task (docs/catalog-rules.md#delivery-body), bounded in number and length. */
export function usedSources({ task }: CatalogDelivery): UsedSource[] {
  const named = (task?.urls ?? []).flatMap(({ url, status, relevant_score, is_user_provided_link }) =>
    url == null || url.trim() === ''
      ? []
      : {
          url: storableText(url.trim().slice(0, LONGEST)),
          score: relevant_score ?? null,
          status: status == null ? null : storableText(status.slice(0, 100)),
          given: is_user_provided_link ?? null,
        },
  );
  return named.slice(0, MOST);
}
