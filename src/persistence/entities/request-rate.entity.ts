import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The rate of requests to a workspace's service, for all processes. Unlogged: after a crash of the server it starts afresh. */
@Entity({ name: 'request_rate' })
export class RequestRateEntity {
  @PrimaryColumn('text') workspace!: string;
  /** Requests per second at present; null: as many as the settings allow. */
  @Column('double precision', { nullable: true }) rate!: number | null;
  /** The time of the first request slot that no process has reserved. */
  @Column('timestamptz', { default: () => 'clock_timestamp()' }) nextAt!: Date;
  @Column('timestamptz', { nullable: true }) pausedUntil!: Date | null;
  /** When a refusal last lowered the rate. */
  @Column('timestamptz', { nullable: true }) slowedAt!: Date | null;
}
