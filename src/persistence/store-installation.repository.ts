import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { Database } from './database.js';
import { AuditEntryEntity } from './entities/audit-entry.entity.js';
import { StoreInstallationEntity } from './entities/store-installation.entity.js';

/** Sealed tokens. A permanent token has neither an end nor a refresh token. */
export interface SealedTokens {
  readonly accessToken: string;
  readonly accessUntil: Date | null;
  readonly refreshToken: string | null;
}

export interface NewInstallation extends SealedTokens {
  readonly shop: string;
  readonly storeKey: string;
  readonly scopes: readonly string[];
  readonly at: Date;
  /** The browser's, for the audit record. */
  readonly address: string | null;
}

/** Longer than the time limit of a request to the store. */
const RENEWAL_SECONDS = 45;

/** SQL: the assignments that end an installation. */
export const FORGOTTEN = `access_token = NULL, refresh_token = NULL, access_until = NULL,
  renewing_until = NULL, uninstall_ask_at = NULL, uninstalled_at = now()`;

/**
 * Stores that came by the install flow, with their sealed tokens.
 *
 * SQL: one process at a time renews a token, or asks about an uninstall, by the clock of the database.
 */
@Injectable()
export class StoreInstallationRepository {
  constructor(private readonly db: Database) {}

  /** Every installation by shop, uninstalled ones included, but for those whose rows are being erased. */
  async all(): Promise<StoreInstallationEntity[]> {
    return this.db.repository(StoreInstallationEntity).find({
      where: [{ uninstalledAt: IsNull() }, { erasureAskedAt: IsNull() }],
      order: { shop: 'ASC' },
    });
  }

  async find(shop: string): Promise<StoreInstallationEntity | null> {
    return this.db.repository(StoreInstallationEntity).findOneBy({ shop });
  }

  /** Keeps a new installation, or the tokens of one more, and its row in the audit record. The key of a shop never changes. */
  async keep({ shop, storeKey, scopes, at, address, ...tokens }: NewInstallation): Promise<void> {
    const fresh = {
      ...tokens,
      installedAt: at,
      uninstalledAt: null,
      renewingUntil: null,
      uninstallAskAt: null,
      erasureAskedAt: null,
    };
    await this.db.transaction(async ({ manager }) => {
      const installations = manager.getRepository(StoreInstallationEntity);
      const known = await installations.update({ shop }, fresh);
      if (known.affected === 0) await installations.insert({ shop, storeKey, ...fresh });
      const entries = manager.getRepository(AuditEntryEntity);
      const done = {
        actor: shop,
        via: 'store',
        what: 'install',
        targets: [storeKey],
        outcome: 'done',
      } as const;
      await entries.save(entries.create({ ...done, address, details: { scopes } }));
    });
  }

  /** The refresh token for the one process that may use it now; null for all others, and when there is none. */
  async takeRenewal(shop: string, refreshToken: string): Promise<boolean> {
    return this.db.moves(
      `UPDATE store_installation SET renewing_until = now() + $3 * interval '1 second'
       WHERE shop = $1 AND refresh_token = $2 AND (renewing_until IS NULL OR renewing_until < now())`,
      [shop, refreshToken, RENEWAL_SECONDS],
    );
  }

  /** Replaces the tokens that this refresh token gave. Does nothing when the app was uninstalled or installed again meanwhile. */
  async renewed(shop: string, refreshToken: string, tokens: SealedTokens): Promise<void> {
    await this.db
      .repository(StoreInstallationEntity)
      .update({ shop, refreshToken }, { ...tokens, renewingUntil: null });
  }

  /** Ends this process's renewal, so that the next one may try. */
  async endRenewal(shop: string, refreshToken: string): Promise<void> {
    await this.db.repository(StoreInstallationEntity).update({ shop, refreshToken }, { renewingUntil: null });
  }

  /** Seals the tokens of a shop under another key, unless they have changed meanwhile. */
  async resealed(shop: string, before: string, tokens: SealedTokens): Promise<void> {
    await this.db.repository(StoreInstallationEntity).update({ shop, accessToken: before }, tokens);
  }

  /** Records an event that says that the shop uninstalled the app. False for a shop without an installation. */
  async toldUninstall(shop: string): Promise<boolean> {
    return this.db.moves(
      `UPDATE store_installation SET uninstall_ask_at = date_trunc('milliseconds', now())
       WHERE shop = $1 AND uninstalled_at IS NULL`,
      [shop],
    );
  }

  /** The installations whose uninstall is to be checked now. Each is another process's for five minutes, and due again then. */
  async takeToldUninstalls(): Promise<StoreInstallationEntity[]> {
    const taken = await this.db.texts(
      `UPDATE store_installation SET uninstall_ask_at = date_trunc('milliseconds', now() + interval '5 minutes')
       WHERE uninstall_ask_at <= now() RETURNING shop`,
    );
    if (taken.length === 0) return [];
    return this.db.repository(StoreInstallationEntity).findBy({ shop: In(taken) });
  }

  /** Records that the store still has the app installed. An event that came after the store was asked stays open. */
  async stillInstalled({ shop, uninstallAskAt }: StoreInstallationEntity): Promise<void> {
    if (uninstallAskAt === null) return;
    await this.db
      .repository(StoreInstallationEntity)
      .update({ shop, uninstallAskAt }, { uninstallAskAt: null });
  }

  /** Forgets the tokens of this installation, unless the app was installed again meanwhile: false then. The audit record gets a row. */
  async forget({ shop, installedAt }: StoreInstallationEntity): Promise<boolean> {
    return this.db.moves(
      `WITH gone AS (UPDATE store_installation SET ${FORGOTTEN}
         WHERE shop = $1 AND uninstalled_at IS NULL AND uninstall_ask_at IS NOT NULL AND installed_at = $2
         RETURNING shop, store_key)
       INSERT INTO audit_entry (actor, via, what, targets, outcome)
         SELECT shop, 'store', 'uninstall', jsonb_build_array(store_key), 'done' FROM gone`,
      [shop, installedAt],
    );
  }
}
