import { z } from 'zod';
import { ARRIVED_FATES } from '../domain/arrived-content.js';
import type { WriteBackRow } from '../persistence/listing.repository.js';
import { partsOf, type JournalPart } from './journal-parts.js';
import { pageSchema } from './paging.js';
import { shown } from './shown.js';
import { STATES } from './write-back-filter.js';

/** A field with its intended value and, after an attempt, its outcome. */
export const writeBackFieldSchema = z.object({
  target: z.string(),
  /** The generated value; null for a field that is only in the journal. */
  intended: z.string().nullable(),
  /** The original value, when a person edited it; null otherwise. */
  came: z.string().nullable(),
  dropped: z
    .array(z.string())
    .describe('addresses that were left out of the generated value, each with its reason'),
  outcome: z.string().nullable(),
  reason: z.string().nullable(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
export type WriteBackField = z.output<typeof writeBackFieldSchema>;

export const writeBackSchema = z.object({
  id: z.string(),
  store: z.string(),
  externalId: z.string(),
  deliveryId: z.string().nullable(),
  state: z.enum(STATES),
  version: z.int().describe('grows with each edit of a text'),
  reason: z.string().nullable(),
  fields: z.array(writeBackFieldSchema),
  /** Every field and attribute that the result brought, and what is intended for it. */
  arrived: z.array(
    z.object({
      from: z.string(),
      excerpt: z.string(),
      fate: z.enum(ARRIVED_FATES),
      target: z.string().nullable(),
      setting: z.string().nullable().describe('the setting that would map it'),
    }),
  ),
  declined: z
    .array(z.object({ target: z.string(), value: z.string(), by: z.string(), at: z.iso.datetime() }))
    .describe('fields that a person declined when they approved the others'),
  /** The gates that held it back at the last check. */
  gates: z.array(
    z.object({ gate: z.string(), target: z.string(), found: z.string().nullable(), detail: z.string() }),
  ),
  /** Pages that the service used for the content. */
  sources: z.array(
    z.object({
      url: z.string(),
      score: z.number().nullable(),
      status: z.string().nullable(),
      given: z.boolean().nullable().describe('true: the request named it; false: the service found it'),
    }),
  ),
  creditsConsumed: z.number().nullable(),
  runId: z.string().nullable().describe('the run that asked for the content'),
  reappliedFrom: z.string().nullable().describe('the reverted write-back whose texts it writes again'),
  attempts: z.int(),
  /** The time of the content request. */
  resultAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
  settledAt: z.iso.datetime().nullable(),
  revertedAt: z.iso.datetime().nullable(),
  decidedAt: z.iso.datetime().nullable(),
  decidedBy: z.string().nullable(),
});
export type PresentedWriteBack = z.output<typeof writeBackSchema>;
export const writeBackPageSchema = pageSchema(writeBackSchema);

export function presentWriteBack(row: WriteBackRow): PresentedWriteBack {
  return shown(writeBackSchema, row, {
    fields: partsOf(row).map(presentField),
    declined: row.declined.map((field) => ({ ...field, at: new Date(field.at).toISOString() })),
    gates: row.gateFindings,
  });
}

function presentField({ target, intended, journal }: JournalPart): WriteBackField {
  return {
    target,
    intended: intended?.value ?? null,
    came: intended?.came?.value ?? null,
    dropped: [...(intended?.dropped ?? [])],
    outcome: journal?.outcome ?? null,
    reason: journal?.reason ?? null,
    before: journal?.before ?? null,
    after: journal?.after ?? null,
  };
}
