import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A store whose merchant installed the app by the install flow. Its tokens are sealed; without them the app is uninstalled. */
@Entity({ name: 'store_installation' })
@Index('store_installation_key_once', ['storeKey'], { unique: true })
export class StoreInstallationEntity {
  @PrimaryColumn('text') shop!: string;
  /** The store's key in commands, routes and rows. */
  @Column('text') storeKey!: string;
  @Column('text', { nullable: true }) accessToken!: string | null;
  /** Null for a token that never expires. */
  @Column('timestamptz', { nullable: true }) accessUntil!: Date | null;
  @Column('text', { nullable: true }) refreshToken!: string | null;
  @Column('timestamptz') installedAt!: Date;
  @Column('timestamptz', { nullable: true }) uninstalledAt!: Date | null;
  /** Until then one process renews the token. */
  @Column('timestamptz', { nullable: true }) renewingUntil!: Date | null;
  /** Then the store is asked whether it uninstalled the app, as an event says; null when no event is open. */
  @Column('timestamptz', { nullable: true }) uninstallAskAt!: Date | null;
  /** When the store asked to erase the shop; null without such a request. The row of an uninstalled shop goes with all others. */
  @Column('timestamptz', { nullable: true }) erasureAskedAt!: Date | null;
}
