import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { IntendedValue, JournalField, SentValue } from '../../domain/write-back-journal.js';
import type { WriteBackState } from '../../domain/row-states.js';

/** The journal: nothing in it is deleted while its product exists (design section 2). */
@Entity({ name: 'write_back' })
export class WriteBackEntity {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column('text') store!: string;
  @Column('text') workspace!: string;
  @Column('text') externalId!: string;
  @Column('uuid', { nullable: true }) deliveryId!: string | null;
  @Column('text') contentFingerprint!: string;
  /** Creation time of the task whose result this is. */
  @Column('timestamptz') resultAt!: Date;
  @Column('text') state!: WriteBackState;
  @Column('jsonb') intended!: IntendedValue[];
  @Column('jsonb') seen!: Record<string, string>;
  /** What an attempt was about to send, stored before it was sent, by target. */
  @Column('jsonb') sent!: Record<string, SentValue>;
  @Column('jsonb') fields!: JournalField[];
  @Column('boolean') released!: boolean;
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('integer') attempts!: number;
  /** Attempts in a row that began and never ended: their workers died. */
  @Column('integer') unended!: number;
  @Column('timestamptz') nextAttemptAt!: Date;
  @Column('timestamptz') createdAt!: Date;
  @Column('timestamptz', { nullable: true }) settledAt!: Date | null;
  @Column('timestamptz', { nullable: true }) revertedAt!: Date | null;
}
