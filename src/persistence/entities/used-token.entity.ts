import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A token that counts no more, kept until it would have expired: a state of the install flow that came back, a session of the dashboard
 * that was signed out, or a link that signed in.
 */
@Entity({ name: 'used_token' })
export class UsedTokenEntity {
  @PrimaryColumn('text') id!: string;
  @Column('timestamptz') until!: Date;
}
