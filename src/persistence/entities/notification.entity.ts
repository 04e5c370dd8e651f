import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How far people were told of a condition. */
export type ToldState = 'nothing' | 'begun' | 'ended';

/** A condition that people are told of when it begins and when it ends. */
@Entity({ name: 'notification' })
export class NotificationEntity {
  @PrimaryColumn('bigint') id!: string;
  @Column('text') kind!: string;
  /** Key of the store or workspace; which of the two follows from the kind. */
  @Column('text') subject!: string;
  /** What the message needs besides; never a secret, never text of a product. */
  @Column('jsonb') facts!: Record<string, unknown>;
  @Column('timestamptz') since!: Date;
  @Column('timestamptz', { nullable: true }) endedAt!: Date | null;
  @Column('text') told!: ToldState;
  @Column('integer') attempts!: number;
  @Column('timestamptz') nextAttemptAt!: Date;
  @Column('timestamptz', { nullable: true }) toldAt!: Date | null;
}
