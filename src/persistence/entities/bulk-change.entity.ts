import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { BULK_CHANGE_TRANSITIONS, type BulkChangeState } from '../../domain/row-states.js';
import {
  BULK_ACTIONS,
  type BulkAction,
  type BulkItem,
  type WriteBackFilter,
} from '../../domain/write-back-filter.js';
import { oneOf } from './checks.js';

/** The last write-back of a bulk change that was handled: rows follow each other by product, newest first. */
export interface BulkCursor {
  readonly externalId: string;
  readonly at: string;
  readonly id: string;
}

/** A row at which the store failed, and how many times in all. */
export interface WaitingRow extends BulkCursor {
  readonly tries: number;
}

/** One change of all write-backs that a filter selects. A worker does it row by row, and another may go on with it. */
@Entity({ name: 'bulk_change' })
@Index('bulk_change_open', ['nextAttemptAt'], { where: oneOf('state', ['queued', 'running']) })
@Index('bulk_change_newest', ['createdAt'])
@Check('bulk_change_action_check', oneOf('action', BULK_ACTIONS))
@Check('bulk_change_state_check', oneOf('state', Object.keys(BULK_CHANGE_TRANSITIONS)))
export class BulkChangeEntity {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column('text') action!: BulkAction;
  /** Only says what would happen. */
  @Column('boolean') dryRun!: boolean;
  @Column('jsonb') filter!: WriteBackFilter;
  /** Rows to which something happened later are left out: the count did not include them. */
  @Column('timestamptz') until!: Date;
  /** The person who asked for it. */
  @Column('text') actor!: string;
  @Column('text', { default: 'queued' }) state!: BulkChangeState;
  /** Rows that the filter selected when it was asked for. */
  @Column('integer') matching!: number;
  @Column('jsonb', { nullable: true }) cursor!: BulkCursor | null;
  @Column('integer', { default: 0 }) done!: number;
  /** Rows that were left as they are, with their reasons in `items`. */
  @Column('integer', { default: 0 }) refused!: number;
  /** Of an approval: it also writes fields that the merchant edited since. */
  @Column('boolean', { default: false }) overwriteEdits!: boolean;
  /** Of an approval: it also writes texts that a gate holds back. */
  @Column('boolean', { default: false }) passGates!: boolean;
  /** How many of the refused rows were left, in whole or in part, because the merchant edited them. */
  @Column('integer', { default: 0 }) leftEdited!: number;
  /** How many of these were approved without the edited fields. */
  @Column('integer', { default: 0 }) leftInPart!: number;
  /** How many of the refused rows were left because a gate holds them back. */
  @Column('integer', { default: 0 }) leftGated!: number;
  /** Rows of products at which the store fails while it works for others. They are tried again after the rest. */
  @Column('jsonb', { default: [] }) waiting!: WaitingRow[];
  /** The first rows of the report. */
  @Column('jsonb', { default: [] }) items!: BulkItem[];
  @Column('text', { nullable: true }) reason!: string | null;
  /** Starts since a row was last handled: the row at which workers die again and again is refused. */
  @Column('integer', { default: 0 }) starts!: number;
  @Column('text', { nullable: true }) lease!: string | null;
  @Column('timestamptz', { nullable: true }) leaseUntil!: Date | null;
  @Column('timestamptz', { default: () => 'now()' }) nextAttemptAt!: Date;
  @Column('timestamptz', { default: () => 'now()' }) createdAt!: Date;
  @Column('timestamptz', { nullable: true }) finishedAt!: Date | null;
}
