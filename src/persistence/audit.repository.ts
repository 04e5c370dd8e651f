import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { json, Database } from './database.js';
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
    const row = await this.db.readOne(
      z.object({ id: z.string() }),
      `INSERT INTO audit_entry (actor, role, via, address, what, targets, details) VALUES ($1, $2, $3, $4, $5, $6, $7)
       RETURNING id`,
      [
        entry.actor,
        entry.role,
        entry.via,
        entry.address,
        entry.what,
        json(entry.targets),
        json(entry.details),
      ],
    );
    return row?.id ?? '';
  }

  async end(id: string, outcome: 'done' | 'failed'): Promise<void> {
    await this.db.affected(`UPDATE audit_entry SET outcome = $2 WHERE id = $1 AND outcome = 'begun'`, [
      id,
      outcome,
    ]);
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
