import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The pace of requests to a workspace's service, for all processes. Unlogged: after a crash of the server it starts afresh. */
@Entity({ name: 'workspace_pace' })
export class WorkspacePaceEntity {
  @PrimaryColumn('text') workspace!: string;
  /** Requests per second at present; null: as many as the settings allow. */
  @Column('double precision', { nullable: true }) rate!: number | null;
  /** The start of the first request that nobody has taken. */
  @Column('timestamptz', { default: () => 'clock_timestamp()' }) nextAt!: Date;
  @Column('timestamptz', { nullable: true }) pausedUntil!: Date | null;
  /** When a refusal last lowered the rate. */
  @Column('timestamptz', { nullable: true }) slowedAt!: Date | null;
}
