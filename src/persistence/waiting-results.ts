/** A result of a product that was away from its store. No field of it was decided. */
const away = (row: string): string =>
  `${row}.state = 'skipped' AND ${row}.fields = '[]' AND ${row}.attempts > 0`;

/** A result that a newer one replaced before it was written. */
const replaced = (row: string): string => `${row}.state = 'skipped' AND ${row}.attempts = 0`;

/**
 * The results that came while the product of `externalId` (an SQL expression) was away: one row for the product and one for each variant,
 * with all that the waiting results bring for it in `merged`. Where two bring a value for the same place, the newer one counts.
 */
export const waitingResults = (externalId: string): string =>
  `WITH waiting AS (
     SELECT * FROM write_back AS own WHERE own.external_id = ${externalId} AND ${away('own')}
       AND NOT EXISTS (SELECT FROM write_back AS later WHERE later.external_id = own.external_id
         AND later.variant IS NOT DISTINCT FROM own.variant AND later.created_at > own.created_at
         AND NOT (${away('later')}) AND NOT (${replaced('later')}))
   )
   SELECT DISTINCT ON (newest.variant) newest.*, (
     SELECT jsonb_agg(part.value ORDER BY part.place) FROM (
       SELECT DISTINCT ON (element.value->>'target') element.value, element.place
       FROM waiting AS each CROSS JOIN jsonb_array_elements(each.intended) WITH ORDINALITY AS element(value, place)
       WHERE each.variant IS NOT DISTINCT FROM newest.variant
       ORDER BY element.value->>'target', each.created_at DESC) AS part) AS merged
   FROM waiting AS newest ORDER BY newest.variant, newest.created_at DESC`;
