import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A session of the dashboard that was signed out, kept until its cookie would have ended anyway. */
@Entity({ name: 'revoked_session' })
export class RevokedSessionEntity {
  @PrimaryColumn('text') id!: string;
  @Column('timestamptz') until!: Date;
}
