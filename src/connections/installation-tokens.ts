import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { keyBytes } from '../domain/encryption-key.js';
import { CodedError } from '../domain/errors.js';
import {
  StoreInstallationRepository,
  type SealedTokens,
} from '../persistence/store-installation.repository.js';
import { Clock } from '../runtime/clock.js';
import { derivedKey } from '../runtime/derived-key.js';
import { Sealer } from '../runtime/sealed-text.js';
import type { KeptToken, KeptTokens, TokenGrant } from '../store/index.js';

/** How often a process looks whether another one has renewed the token. */
const LOOK_EVERY_MS = 250;
const LOOKS = 160;

/** The tokens of installed stores: sealed in the database, open in memory only. */
@Injectable()
export class InstallationTokens {
  readonly #sealer: Sealer | null;

  constructor(
    @Inject(APP_CONFIG) config: Pick<AppConfig, 'server'>,
    private readonly installations: StoreInstallationRepository,
    private readonly clock: Clock,
  ) {
    this.#sealer = sealerOf(config.server);
  }

  /** The tokens of a shop, for its connector. */
  of(shop: string): KeptTokens {
    return {
      read: async () => (await this.#kept(shop))?.token ?? null,
      renewed: (expired, renew) => this.#renewed(shop, expired, renew),
    };
  }

  /** The sealed form of a grant. */
  sealed(shop: string, grant: TokenGrant): SealedTokens {
    const sealer = this.#required();
    const { accessToken, refreshToken, lifetimeMs } = grant;
    return {
      accessToken: sealer.seal(accessToken, purpose(shop, 'access')),
      refreshToken: refreshToken === null ? null : sealer.seal(refreshToken, purpose(shop, 'refresh')),
      accessUntil: lifetimeMs === null ? null : new Date(this.clock.now().getTime() + lifetimeMs),
    };
  }

  /** Seals every token under the current key that another key sealed. Returns how many. Throws `misconfigured` for one that no key opens. */
  async resealAll(): Promise<number> {
    let count = 0;
    for (const row of await this.installations.all()) {
      const { shop, accessToken, refreshToken, accessUntil } = row;
      const isOld = [accessToken, refreshToken].some(
        (sealed) => sealed !== null && this.#sealer?.isCurrent(sealed) !== true,
      );
      if (accessToken === null || !isOld) continue;
      const sealer = this.#required();
      const again = (sealed: string, kind: Kind): string =>
        sealer.seal(this.#open(shop, sealed, kind), purpose(shop, kind));
      await this.installations.resealed(shop, accessToken, {
        accessToken: again(accessToken, 'access'),
        refreshToken: refreshToken === null ? null : again(refreshToken, 'refresh'),
        accessUntil,
      });
      count += 1;
    }
    return count;
  }

  async #renewed(
    shop: string,
    expired: string,
    renew: (refreshToken: string) => Promise<TokenGrant>,
  ): Promise<KeptToken | null> {
    for (let look = 0; look < LOOKS; look += 1) {
      const kept = await this.#kept(shop);
      if (kept?.token.accessToken !== expired) return kept?.token ?? null;
      const { sealedRefresh } = kept;
      // A token without a refresh token has no successor.
      if (sealedRefresh === null) return kept.token;
      if (await this.installations.takeRenewal(shop, sealedRefresh))
        return this.#renew(shop, sealedRefresh, renew);
      await this.clock.sleep(LOOK_EVERY_MS);
    }
    throw new CodedError('transient', 'another process renews the token of the store for too long');
  }

  async #renew(
    shop: string,
    sealedRefresh: string,
    renew: (refreshToken: string) => Promise<TokenGrant>,
  ): Promise<KeptToken | null> {
    try {
      const grant = await renew(this.#open(shop, sealedRefresh, 'refresh'));
      await this.installations.renewed(shop, sealedRefresh, this.sealed(shop, grant));
    } catch (error) {
      await this.installations.endRenewal(shop, sealedRefresh);
      throw error;
    }
    return (await this.#kept(shop))?.token ?? null;
  }

  async #kept(
    shop: string,
  ): Promise<{ readonly token: KeptToken; readonly sealedRefresh: string | null } | null> {
    const row = await this.installations.find(shop);
    if (row?.accessToken == null) return null;
    const accessToken = this.#open(shop, row.accessToken, 'access');
    return {
      token: { accessToken, until: row.accessUntil?.getTime() ?? null },
      sealedRefresh: row.refreshToken,
    };
  }

  #open(shop: string, sealed: string, kind: Kind): string {
    const opened = this.#required().open(sealed, purpose(shop, kind));
    if (opened !== null) return opened;
    throw new CodedError(
      'misconfigured',
      `server.encryptionKey does not open the tokens of ${shop}: add the key of before to it, as NEW,OLD`,
    );
  }

  #required(): Sealer {
    if (this.#sealer !== null) return this.#sealer;
    throw new CodedError('misconfigured', 'server.encryptionKey is not set: tokens cannot be kept');
  }
}

type Kind = 'access' | 'refresh';

function purpose(shop: string, kind: Kind): string {
  return `${shop} ${kind}`;
}

function sealerOf({ encryptionKey }: AppConfig['server']): Sealer | null {
  const [current, ...previous] = encryptionKey
    .map(keyBytes)
    .filter((bytes) => bytes !== null)
    .map((bytes) => derivedKey(bytes, 'store tokens'));
  return current === undefined ? null : new Sealer(current, previous);
}
