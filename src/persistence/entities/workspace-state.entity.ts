import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SideState } from './side-state.js';

@Entity({ name: 'workspace_state' })
export class WorkspaceStateEntity extends SideState {
  @PrimaryColumn('text') workspace!: string;
  @Column('double precision', { nullable: true }) creditsRemaining!: number | null;
  @Column('timestamptz', { nullable: true }) creditsAt!: Date | null;
  @Column('text', { nullable: true }) webhookFinding!: string | null;
  /** The owner of the webhook slot at the last check: `ours`, `free`, `foreign`, `unknown`. */
  @Column('text', { nullable: true }) webhookState!: string | null;
  @Column('timestamptz', { nullable: true }) webhookCheckedAt!: Date | null;
  /** Hash of the webhook secret that was last sent to the service. */
  @Column('text', { nullable: true }) webhookSecretSent!: string | null;
  /** Hash of what the service then showed in its place: the secret, a mask of it, or nothing. */
  @Column('text', { nullable: true }) webhookSecretShown!: string | null;
  /** When a person last asked to look for results at once; a sweep that rests after faults ends its rest then. */
  @Column('timestamptz', { nullable: true }) sweepAskedAt!: Date | null;
  /** Requests per second at present, for all processes; null: as many as the settings allow. */
  @Column('double precision', { nullable: true }) requestRate!: number | null;
  /** The time of the first request slot that no process has reserved; null before the first request. */
  @Column('timestamptz', { nullable: true }) nextRequestAt!: Date | null;
  /** The service asked for no request until then. */
  @Column('timestamptz', { nullable: true }) requestsPausedUntil!: Date | null;
  /** When a refusal last lowered the rate. */
  @Column('timestamptz', { nullable: true }) slowedAt!: Date | null;
}
