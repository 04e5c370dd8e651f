import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

export type AuditVia = 'api' | 'dashboard' | 'command' | 'store';

/** One change that was asked for, or an attempt that was refused. Rows are only added, and their outcome is filled in. */
@Entity({ name: 'audit_entry' })
@Index('audit_entry_newest', ['at', 'id'])
export class AuditEntryEntity {
  @PrimaryGeneratedColumn({ type: 'bigint' }) id!: string;
  @Column('timestamptz', { default: () => 'now()' }) at!: Date;
  /** Name of the token, the user of the operating system, or the shop. */
  @Column('text') actor!: string;
  /** Role of the token; null for commands. */
  @Column('text', { nullable: true }) role!: string | null;
  @Column('text') via!: AuditVia;
  /** The client's address, or the host of a command. */
  @Column('text', { nullable: true }) address!: string | null;
  @Column('text') what!: string;
  /** Ids of what was to be changed. */
  @Column('jsonb', { default: () => "'[]'" }) targets!: readonly string[];
  @Column('jsonb', { default: () => "'{}'" }) details!: Readonly<Record<string, unknown>>;
  /** `begun` until the end is known, then `done` or `failed`; `refused` for an attempt that began nothing. */
  @Column('text', { default: 'begun' }) outcome!: string;
}
