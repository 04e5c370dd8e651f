import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { readUntrustedJson, type ReadJson } from '../runtime/untrusted-json.js';
import type { DeliveryState } from '../domain/row-states.js';
import { DeliveryRepository, type ShownDelivery } from '../persistence/delivery.repository.js';
import { ListingRepository, type ListFilter, type DeliveryRow } from '../persistence/listing.repository.js';
import { found } from './found.js';
import { listQuerySchema, pageOf, pageSchema, type Page, type RowOutcome } from './paging.js';
import { shown } from './shown.js';
import { ProductNames } from './product-names.js';
import { RowWorkPort } from './row-work.js';

/** In the order in which lists show them. */
export const DELIVERY_STATES = [
  'received',
  'processed',
  'parked',
  'failed',
] as const satisfies DeliveryState[];

export const deliveryQuerySchema = listQuerySchema(DELIVERY_STATES);
export type DeliveryQuery = z.output<typeof deliveryQuerySchema>;

export const deliverySummarySchema = z.object({
  id: z.string(),
  workspace: z.string(),
  via: z.enum(['webhook', 'poll']),
  state: z.enum(DELIVERY_STATES),
  action: z.string().nullable(),
  externalId: z.string().nullable(),
  label: z.string().nullable().describe('title of the product; null without a linked product'),
  taskId: z.string().nullable(),
  /** The outcome, or the reason why it was parked. */
  note: z.string().nullable(),
  attempts: z.int(),
  receivedAt: z.iso.datetime(),
  settledAt: z.iso.datetime().nullable(),
});
export type DeliverySummary = z.output<typeof deliverySummarySchema>;
export const deliveryPageSchema = pageSchema(deliverySummarySchema);

export const deliverySchema = deliverySummarySchema.extend({
  headers: z.record(z.string(), z.string()),
  bytes: z.int(),
  body: z.unknown().describe('as JSON; null when it is not JSON, or longer than 1 MB'),
  text: z.string().nullable().describe('the first characters of a body that is not shown as JSON'),
});
export type DeliveryDetail = z.output<typeof deliverySchema>;

/** Bytes of a body that is shown as JSON. Parsing one of 10 MB takes a second, and 60 MB of memory for each reader. */
const BODY_MOST = 1_000_000;
/** The displayed characters of a body that is not shown as JSON. */
const TEXT_SHOWN = 4000;

/** The webhook inbox, for people. */
@Injectable()
export class DeliveryOperations {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly listing: ListingRepository,
    private readonly work: RowWorkPort,
    private readonly names: ProductNames,
  ) {}

  /** Deliveries of each state that match the rest of the filter. */
  async counts(filter: ListFilter): Promise<Record<string, number>> {
    return this.listing.counts('deliveries', filter);
  }

  async list(query: DeliveryQuery & ListFilter): Promise<Page<DeliverySummary>> {
    const page = await this.listing.deliveries(query, query);
    const labels = await this.names.of(page.rows.flatMap(({ externalId }) => externalId ?? []));
    return pageOf(page, query, (row) => summarised(row, labels));
  }

  /** Throws `not_found` for an unknown id. */
  async show(id: string): Promise<DeliveryDetail> {
    const row = found(await this.deliveries.shown(id, BODY_MOST), 'delivery', id);
    return detailed(row, await this.names.of(row.externalId === null ? [] : [row.externalId]));
  }

  /** Interprets settled deliveries again. Nothing happens twice: tasks settle once, and a result is used once. */
  async replay(ids: readonly string[]): Promise<RowOutcome[]> {
    const moved = new Set<string>();
    for (const id of new Set(ids)) if (await this.deliveries.replay(id)) moved.add(id);
    await this.work.deliveries([...moved]);
    return Promise.all([...new Set(ids)].map((id) => this.#outcome(id, moved.has(id))));
  }

  async #outcome(id: string, moved: boolean): Promise<RowOutcome> {
    const row = await this.deliveries.outcome(id);
    if (row === null) return { id, ok: false, state: null, detail: `no delivery ${id.slice(0, 100)}` };
    if (!moved) return { id, ok: true, state: row.state, detail: 'it was waiting to be interpreted already' };
    const detail =
      row.state === 'received' ? 'it is interpreted again' : `interpreted again: ${row.note ?? row.state}`;
    return { id, ok: true, state: row.state, detail };
  }
}

/** Titles of products by external_id. */
type Labels = ReadonlyMap<string, string>;

function summarised(row: DeliveryRow, labels: Labels): DeliverySummary {
  return shown(deliverySummarySchema, row, { label: labels.get(row.externalId ?? '') ?? null });
}

function detailed(row: ShownDelivery, labels: Labels): DeliveryDetail {
  const body: ReadJson = row.bytes > BODY_MOST ? { ok: false } : readUntrustedJson(row.rawBody);
  return {
    ...summarised(row, labels),
    headers: row.headers,
    bytes: row.bytes,
    body: body.ok ? body.value : null,
    text: body.ok ? null : row.rawBody.toString('utf8').slice(0, TEXT_SHOWN),
  };
}
