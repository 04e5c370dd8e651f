import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { oneOf } from './checks.js';

export const REPORT_KINDS = ['check', 'drift', 'generate'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];
export const REPORT_STATES = ['running', 'done', 'failed'] as const;
export type ReportState = (typeof REPORT_STATES)[number];

/** Something that a person asked for on the dashboard and that takes longer than a page: its progress and its result. */
@Entity({ name: 'report' })
// A second click joins the report that is being made.
@Index('report_one_running', ['kind', 'store'], { unique: true, where: "state = 'running'" })
@Index('report_newest', ['kind', 'store', 'createdAt'])
@Check('report_kind_check', oneOf('kind', REPORT_KINDS))
@Check('report_state_check', oneOf('state', REPORT_STATES))
export class ReportEntity {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column('text') kind!: ReportKind;
  /** Key of the store; empty for a report about all of them. */
  @Column('text', { default: '' }) store!: string;
  @Column('text', { default: 'running' }) state!: ReportState;
  @Column('text') actor!: string;
  @Column('integer', { default: 0 }) progress!: number;
  @Column('jsonb', { nullable: true }) result!: object | null;
  @Column('text', { nullable: true }) error!: string | null;
  @Column('timestamptz', { default: () => 'now()' }) createdAt!: Date;
  /** The process that makes it says so every few seconds. */
  @Column('timestamptz', { default: () => 'now()' }) seenAt!: Date;
  @Column('timestamptz', { nullable: true }) finishedAt!: Date | null;
}
