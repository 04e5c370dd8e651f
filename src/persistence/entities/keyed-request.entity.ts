import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A request of the API with an `Idempotency-Key`, and its answer, until `until`. */
@Entity({ name: 'keyed_request' })
export class KeyedRequestEntity {
  @PrimaryColumn('text') actor!: string;
  @PrimaryColumn('text') key!: string;
  /** Fingerprint of method, address and body. */
  @Column('text') request!: string;
  /** Null while the request is under way. */
  @Column('integer', { nullable: true }) status!: number | null;
  @Column('text', { nullable: true }) answer!: string | null;
  @Column('timestamptz') until!: Date;
}
