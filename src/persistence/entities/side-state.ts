import { Column } from 'typeorm';
import type { PauseCode, PauseScope } from '../../domain/side-pause.js';

/** What is known of any side, a store or a workspace's catalog: whether it refuses us, and whether it answers. */
export abstract class SideState {
  /** The part of the work with the side that is paused, `everything` or `writes`; null while it works. */
  @Column('text', { nullable: true }) pausedScope!: PauseScope | null;
  @Column('text', { nullable: true }) pausedCode!: PauseCode | null;
  /** A sentence for people. */
  @Column('text', { nullable: true }) pausedReason!: string | null;
  @Column('timestamptz', { nullable: true }) pausedSince!: Date | null;
  /** Until then nothing tries the side by itself. */
  @Column('timestamptz', { nullable: true }) pausedUntil!: Date | null;
  /** How often in a row it was refused. */
  @Column('integer', { default: 0 }) pauses!: number;
  /** Since when the side has not answered; null while it answers. */
  @Column('timestamptz', { nullable: true }) silentSince!: Date | null;
}
