import { hostname, userInfo } from 'node:os';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { AuditRepository, type AuditFilter, type NewAuditEntry } from '../persistence/audit.repository.js';
import type { AuditEntryEntity } from '../persistence/entities/index.js';
import type { PageRequest } from '../persistence/keyset.js';
import { pageOf, pageSchema, type Page } from './paging.js';

export type { NewAuditEntry };

export const auditEntrySchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  actor: z
    .string()
    .describe('name of the token, user of the operating system, or shop; nobody without a known token'),
  role: z.string().nullable(),
  via: z.enum(['api', 'dashboard', 'command', 'store']),
  address: z.string().nullable().describe("the client's address, or the host of a command"),
  what: z.string(),
  targets: z.array(z.string()),
  details: z.record(z.string(), z.unknown()),
  outcome: z.string().describe('begun, done, failed or refused'),
});
export type AuditEntry = z.output<typeof auditEntrySchema>;
export const auditPageSchema = pageSchema(auditEntrySchema);

/** Of an option with many values, such as the approved fields, a line names the first. */
const VALUES_SHOWN = 3;

/** The details of a change for people, without options that are off: "kind full; force true". Pure. */
export function detailLine(details: AuditEntry['details']): string {
  return Object.entries(details)
    .map(([name, value]) => [name, [value].flat().map(String).filter(isGiven)] as const)
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `${name} ${firstOf(values)}`)
    .join('; ');
}

function isGiven(value: string): boolean {
  return value !== 'false' && value !== '';
}

function firstOf(values: readonly string[]): string {
  const more = values.length - VALUES_SHOWN;
  return `${values.slice(0, VALUES_SHOWN).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
}

/** The change that a command is about to make. */
export interface CommandChange {
  readonly what: string;
  readonly targets: readonly string[];
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The record of changes by API, dashboard and commands, with their actors. */
@Injectable()
export class AuditOperations {
  constructor(private readonly audit: AuditRepository) {}

  async list(page: PageRequest, filter: AuditFilter = {}): Promise<Page<AuditEntry>> {
    return pageOf(await this.audit.list(page, filter), page, present);
  }

  /** Entries of each outcome that match the rest of the filter. */
  async counts(filter: AuditFilter): Promise<Record<string, number>> {
    return this.audit.counts(filter);
  }

  /** Records a change that needs no more than this record, such as a sign-in. */
  async record(entry: NewAuditEntry): Promise<void> {
    await this.audit.record(entry, 'done');
  }

  /**
   * Records a change before it is made, and its end: failed when it throws, or when `isFailure` says so. No change is made that cannot be
   * recorded.
   */
  async change<T>(
    entry: NewAuditEntry,
    work: () => Promise<T>,
    isFailure: (result: T) => boolean,
  ): Promise<T> {
    const id = await this.audit.begin(entry);
    try {
      const result = await work();
      await this.audit.end(id, isFailure(result) ? 'failed' : 'done');
      return result;
    } catch (error) {
      await this.audit.end(id, 'failed');
      throw error;
    }
  }
}

/** A command's change as it is recorded. */
export function entryOfCommand({ what, targets, details = {} }: CommandChange): NewAuditEntry {
  return { actor: actingUser(), role: null, via: 'command', address: hostname(), what, targets, details };
}

function present({ at, targets, ...entry }: AuditEntryEntity): AuditEntry {
  return { ...entry, at: at.toISOString(), targets: [...targets] };
}

/** The person at the terminal, by the operating system. A container may run as a user without a name. */
export function actingUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${String(process.getuid?.() ?? 'unknown')}`;
  }
}
