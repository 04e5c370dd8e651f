import { z } from 'zod';
import { CATALOG_FIELDS, type CatalogField, type CatalogProductBody } from '../domain/catalog-product.js';
import { OWED_REASONS } from '../domain/owed.js';
import {
  RUN_OUTCOMES,
  type ChangedBodies,
  type RunItemRow,
  type RunOutcome,
} from '../persistence/run-item.repository.js';
import { pageQuerySchema, pageSchema } from './paging.js';
import { errorOf } from './product-status-text.js';

export { RUN_OUTCOMES, type RunOutcome };

export const runItemQuerySchema = pageQuerySchema.omit({ order: true }).extend({
  outcome: z.enum(RUN_OUTCOMES).optional(),
  search: z
    .string()
    .max(200)
    .optional()
    .describe('part of a title or an external_id, or a whole SKU or barcode'),
});
export type RunItemQuery = Omit<z.output<typeof runItemQuerySchema>, 'outcome'> & {
  /** `sent`: created and updated ones. */
  readonly outcome?: RunOutcome | 'sent' | undefined;
};

/** An outcome of a run for one product. A product may have several: created, with an identifier withheld, and content requested. */
export const runItemSchema = z.object({
  outcome: z.enum(RUN_OUTCOMES),
  externalId: z.string(),
  label: z.string(),
  kind: z.enum(['create', 'adopt', 'update', 'orphan']).nullable(),
  reason: z.string(),
  fields: z.array(z.string()).describe('the changed fields of the catalog product'),
  at: z.iso.datetime(),
});
export type RunItem = z.output<typeof runItemSchema>;

export const runItemPageSchema = pageSchema(runItemSchema).extend({
  outcomes: z.record(z.enum(RUN_OUTCOMES), z.int()).describe('the number of items of each outcome'),
});
export type RunItemPage = z.output<typeof runItemPageSchema>;

const REASONS_OF_TASKS: Readonly<Record<string, string>> = {
  requested: 'content was requested; the result has not come yet',
  succeeded: 'content was generated',
  failed: 'the generation failed',
  no_urls: 'nothing could be generated',
  abandoned: 'the generation was given up',
};

export function presentItem(row: RunItemRow): RunItem {
  const { outcome, externalId, label, kind, fields, at } = row;
  return { outcome, externalId, label, kind, reason: reasonOf(row), fields, at: at.toISOString() };
}

function reasonOf({ outcome, reason, error, withheld, owedCode, taskState }: RunItemRow): string {
  const because = reason === null || reason === '' ? '' : `: ${reason}`;
  switch (outcome) {
    case 'failed':
      return error === null ? 'the run ended before it was sent' : errorOf({ error });
    case 'conflicted':
      return withheld.map(({ reason: why }) => why).join('; ');
    case 'owed':
      return `${owedCode === null ? outcome : OWED_REASONS[owedCode]}${because}`;
    case 'generationRequested':
      return `${REASONS_OF_TASKS[taskState ?? ''] ?? 'content was requested'}${because}`;
    default:
      return reason ?? '';
  }
}

/** A field as it was sent before the run and by it; null: not at all. */
export interface FieldChange {
  readonly field: CatalogField;
  readonly before: string | null;
  readonly after: string | null;
}

/** The fields that the run changed, with both values as text; pure. Values longer than `longest` are shortened. */
export function changesOf({ fields, body, before }: ChangedBodies, longest: number): FieldChange[] {
  const changed = fields.length > 0 ? fields : CATALOG_FIELDS.filter((field) => body?.[field] !== undefined);
  return changed.map((field) => ({
    field,
    before: textOf(before, field, longest),
    after: textOf(body, field, longest),
  }));
}

function textOf(body: CatalogProductBody | null, field: CatalogField, longest: number): string | null {
  const value = body?.[field];
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
}

/** The characters with which a spreadsheet begins a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** One line of a CSV file, RFC 4180. A spreadsheet must not take a product's title for a formula. */
export function csvLine(cells: readonly string[]): string {
  const quoted = cells.map((cell) => `"${(FORMULA.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`);
  return `${quoted.join(',')}\r\n`;
}
