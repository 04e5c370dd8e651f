import { Injectable } from '@nestjs/common';
import { Database } from './database.js';
import { AuditEntryEntity } from './entities/index.js';
import type { ListPage, PageRequest } from './listing.repository.js';

export type NewAuditEntry = Pick<
  AuditEntryEntity,
  'actor' | 'role' | 'via' | 'address' | 'what' | 'targets' | 'details'
>;

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

  async end(id: string, outcome: 'done' | 'failed'): Promise<void> {
    await this.db.repository(AuditEntryEntity).update({ id, outcome: 'begun' }, { outcome });
  }

  async list({ limit, offset, order }: PageRequest): Promise<ListPage<AuditEntryEntity>> {
    const direction = order === 'asc' ? 'ASC' : 'DESC';
    const [rows, total] = await this.db.repository(AuditEntryEntity).findAndCount({
      order: { at: direction, id: direction },
      take: limit,
      skip: offset,
    });
    return { rows, total };
  }
}
