import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Database } from './database.js';
import { AuditEntryEntity } from './entities/index.js';
import { containing } from './like-pattern.js';
import { byTime, pageInOrder, type ListPage, type PageRequest } from './keyset.js';
import { countedBy } from './state-counts.js';

export type NewAuditEntry = Pick<
  AuditEntryEntity,
  'actor' | 'role' | 'via' | 'address' | 'what' | 'targets' | 'details'
>;

/** A filter that is absent selects everything. */
export interface AuditFilter {
  readonly outcome?: string | undefined;
  readonly actor?: string | undefined;
  /** A part of the action's name, or of the id of its target. */
  readonly search?: string | undefined;
  /** From this day on, and to the end of that one, in UTC (`2026-11-22`). */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The record of who asked for which change. Entries are only added. */
@Injectable()
export class AuditRepository {
  constructor(private readonly db: Database) {}

  /** Records a change that is about to be made; its id. */
  async begin(entry: NewAuditEntry): Promise<string> {
    const entries = this.db.repository(AuditEntryEntity);
    const saved = await entries.save(entries.create(entry));
    return saved.id;
  }

  /** Records what has ended already. */
  async record(entry: NewAuditEntry, outcome: 'done' | 'refused'): Promise<void> {
    const entries = this.db.repository(AuditEntryEntity);
    await entries.save(entries.create({ ...entry, outcome }));
  }

  async end(id: string, outcome: 'done' | 'failed'): Promise<void> {
    await this.db.repository(AuditEntryEntity).update({ id, outcome: 'begun' }, { outcome });
  }

  async list(page: PageRequest, filter: AuditFilter = {}): Promise<ListPage<AuditEntryEntity>> {
    const query = this.db.repository(AuditEntryEntity).createQueryBuilder('entry');
    return pageInOrder(filtered(query, filter), byTime('entry.at', 'bigint', page), page);
  }

  /** Entries of each outcome that match the rest of the filter. */
  async counts({ outcome: _outcome, ...filter }: AuditFilter): Promise<Record<string, number>> {
    const query = this.db.repository(AuditEntryEntity).createQueryBuilder('entry');
    return countedBy(filtered(query, filter), 'entry.outcome');
  }
}

/** Adds the filter to a query whose alias is `entry`. */
function filtered(
  query: SelectQueryBuilder<AuditEntryEntity>,
  { outcome, actor, search, from, to }: AuditFilter,
): SelectQueryBuilder<AuditEntryEntity> {
  if (outcome !== undefined) query.andWhere('entry.outcome = :outcome', { outcome });
  if (actor !== undefined) query.andWhere('entry.actor = :actor', { actor });
  if (search !== undefined)
    query.andWhere('(entry.what ILIKE :pattern OR entry.targets::text ILIKE :pattern)', {
      pattern: containing(search),
    });
  if (from !== undefined) query.andWhere("entry.at >= (:from::date)::timestamp AT TIME ZONE 'UTC'", { from });
  if (to !== undefined) query.andWhere("entry.at < (:to::date + 1)::timestamp AT TIME ZONE 'UTC'", { to });
  return query;
}
