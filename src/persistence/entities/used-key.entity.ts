import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * What counts once, until it expires: the `Idempotency-Key` of an actor's request to the API, with the answer, or a token that is used up. That
 * is a state of the install flow that came back, a session of the dashboard that was signed out, or a link that signed in.
 */
@Entity({ name: 'used_key' })
export class UsedKeyEntity {
  /** Empty for a token. */
  @PrimaryColumn('text') actor!: string;
  @PrimaryColumn('text') key!: string;
  /** Fingerprint of method, address and body; empty for a token. */
  @Column('text', { default: '' }) request!: string;
  /** Null while the request is under way. */
  @Column('integer', { nullable: true }) status!: number | null;
  @Column('text', { nullable: true }) answer!: string | null;
  @Column('timestamptz') until!: Date;
}
