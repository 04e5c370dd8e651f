import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, ConfigSource, type AppConfig } from '../config/index.js';
import { CodedError, errorLine } from '../domain/errors.js';
import { withoutTrailing } from '../domain/text.js';
import { StoreHealthRepository } from '../persistence/store-health.repository.js';
import { StoreInstallationRepository } from '../persistence/store-installation.repository.js';
import { StoreKeyRepository } from '../persistence/store-key.repository.js';
import { Clock } from '../runtime/clock.js';
import { Logger } from '../runtime/logger.js';
import { InstallStates } from '../connections/install-state.js';
import { InstallationTokens } from '../connections/installation-tokens.js';
import { keyFor, workspaceOf } from '../connections/installed-stores.js';
import { ConnectionMaker } from '../connections/connection-maker.js';
import { ConnectionRefresh } from '../connections/connection-refresh.js';
import { Connections } from '../connections/connections.js';
import {
  assertGranted,
  consentPage,
  exchangeCode,
  isSignedQuery,
  scopesFor,
  shopOf,
  type InstallTarget,
} from '../store/installs.js';
import { installMessages } from './messages.js';

/** The reason why an installation does not go on. `status` is that of the answer. */
export class InstallRefused extends Error {
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 409 | 502 | 503,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'InstallRefused';
  }
}

type Template = NonNullable<AppConfig['storeTemplate']>;

interface Flow {
  readonly shop: string;
  readonly template: Template;
  readonly target: InstallTarget;
  readonly states: InstallStates;
  readonly redirectUri: string;
}

/** The install flow for stores of other merchants. */
@Injectable()
export class StoreInstalls {
  readonly #log: Logger;

  constructor(
    @Inject(APP_CONFIG) private readonly config: Pick<AppConfig, 'server'>,
    private readonly source: ConfigSource,
    private readonly installations: StoreInstallationRepository,
    private readonly refresher: ConnectionRefresh,
    private readonly keys: StoreKeyRepository,
    private readonly tokens: InstallationTokens,
    private readonly health: StoreHealthRepository,
    private readonly connections: Connections,
    private readonly maker: ConnectionMaker,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'install' });
  }

  /**
   * The consent page of the shop, and the state that the browser keeps in a cookie. Throws InstallRefused for what is no shop, for a
   * wrong signature, and for a shop of a configuration file where the store signed the link. Without a signature the answer is the same for
   * every shop: a stranger must not learn which shops are here.
   */
  begin(query: URLSearchParams): { readonly location: string; readonly state: string } {
    const { shop, template, target, states, redirectUri } = this.#flow(query);
    // A link that a person made has no signature. One that the store made has.
    if (query.has('hmac')) {
      if (!isSignedQuery(query, target.clientSecret))
        throw new InstallRefused(401, installMessages.badSignature);
      this.#refuseOthers(shop, template);
    }
    const state = states.make(shop, this.clock.now());
    const scopes = scopesFor(template.writeBack);
    return { location: consentPage(target, { scopes, redirectUri, state }), state };
  }

  /**
   * Checks what the store sent back, exchanges the code, keeps the tokens, and adds the store. Returns its key. `address`: that of the
   * browser. Throws InstallRefused, and keeps nothing then.
   */
  async finish(query: URLSearchParams, cookie: string, address: string | null): Promise<string> {
    const { shop, template, target, states } = this.#flow(query);
    if (!isSignedQuery(query, target.clientSecret))
      throw new InstallRefused(401, installMessages.badSignature);
    this.#refuseOthers(shop, template);
    const now = this.clock.now();
    const state = states.read(query.get('state') ?? '', cookie, shop, now);
    if (state === null) throw new InstallRefused(403, installMessages.badState);
    const code = query.get('code') ?? '';
    if (code === '') throw new InstallRefused(400, installMessages.noCode);
    if (!(await this.installations.useState(state.id, state.until)))
      throw new InstallRefused(403, installMessages.usedState);
    const grant = await exchanged(target, code, scopesFor(template.writeBack));
    const storeKey = await this.#keyOf(shop);
    if (storeKey === null) throw new InstallRefused(409, installMessages.noKey);
    const { scopes } = grant;
    const sealed = this.tokens.sealed(shop, grant);
    await this.installations.keep({ shop, storeKey, scopes, at: now, address, ...sealed });
    await this.health.end(storeKey);
    await this.health.wake(storeKey);
    this.#log.info({ store: storeKey, shop }, installMessages.installed);
    await this.refresher.refresh();
    await this.#subscribe(storeKey);
    return storeKey;
  }

  /** The key that the shop has had, or a free one. Rows of a store that is not configured any more keep their key. */
  async #keyOf(shop: string): Promise<string | null> {
    const [installed, rows] = await Promise.all([this.installations.all(), this.keys.all()]);
    const before =
      installed.find((each) => each.shop === shop)?.storeKey ??
      rows.find(({ identity }) => identity === `shopify:${shop}`)?.store;
    if (before !== undefined) return before;
    const taken = new Set([
      ...this.connections.stores.map(({ key }) => key),
      ...installed.map((each) => each.storeKey),
      ...rows.map(({ store }) => store),
    ]);
    return keyFor(shop, (key) => taken.has(key));
  }

  #flow(query: URLSearchParams): Flow {
    const { storeTemplate: template } = this.source.current;
    const { publicUrl } = this.config.server;
    if (template === undefined) throw new InstallRefused(404, installMessages.off);
    if (publicUrl === undefined) throw new InstallRefused(503, installMessages.noPublicUrl);
    const shop = query.getAll('shop').length === 1 ? shopOf(query.get('shop')) : null;
    if (shop === null) throw new InstallRefused(400, installMessages.noShop);
    const { clientId = '', clientSecret = '' } = template.auth;
    return {
      shop,
      template,
      target: { shop, endpoint: template.endpoint, clientId, clientSecret },
      states: new InstallStates(clientSecret),
      redirectUri: `${withoutTrailing(publicUrl, '/')}/shopify/callback`,
    };
  }

  /** Throws InstallRefused for a shop of a configuration file, and for one without a workspace. */
  #refuseOthers(shop: string, template: Template): void {
    const { stores, workspaces } = this.source.current;
    if (Object.values(stores).some((store) => store.shop === shop))
      throw new InstallRefused(409, installMessages.configured);
    if (!Object.hasOwn(workspaces, workspaceOf(template, shop)))
      throw new InstallRefused(
        409,
        'This shop has no workspace of the catalog service yet. Ask the operator for one.',
      );
  }

  /** The next round of reconcile subscribes again, so that a failure delays events only. */
  async #subscribe(storeKey: string): Promise<void> {
    const { publicUrl } = this.config.server;
    const store = this.connections.findStore(storeKey);
    if (store === undefined || publicUrl === undefined) return;
    const uri = `${withoutTrailing(publicUrl, '/')}/webhooks/shopify/${encodeURIComponent(storeKey)}`;
    try {
      await this.maker.subscribe(store, uri);
    } catch (error) {
      this.#log.warn({ store: storeKey, err: errorLine(error) }, installMessages.notSubscribed);
    }
  }
}

async function exchanged(
  target: InstallTarget,
  code: string,
  wanted: readonly string[],
): ReturnType<typeof exchangeCode> {
  try {
    const grant = await exchangeCode(target, code);
    assertGranted(grant.scopes, wanted);
    return grant;
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const isRefusal = error.code === 'auth';
    throw new InstallRefused(isRefusal ? 403 : 502, installMessages.notExchanged(errorLine(error)), {
      cause: error,
    });
  }
}
