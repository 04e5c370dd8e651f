import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, ConfigSource, type AppConfig } from '../config/index.js';
import { CodedError, errorLine } from '../domain/errors.js';
import { withoutTrailing } from '../domain/text.js';
import { UsedKeyRepository } from '../persistence/used-key.repository.js';
import { Clock } from '../runtime/clock.js';
import { InstallStates } from '../connections/install-state.js';
import { workspaceOf } from '../connections/installed-stores.js';
import {
  assertGranted,
  consentPage,
  exchangeCode,
  INSTALL_ROUTES,
  isSignedQuery,
  scopesFor,
  shopOf,
  type InstallTarget,
} from '../store/installs.js';

export { INSTALL_ROUTES } from '../store/installs.js';
import { NewStores } from './new-stores.js';

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

const NOT_SIGNED = 'Not signed by the store. Start the installation again from its admin.';

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
  constructor(
    @Inject(APP_CONFIG) private readonly config: Pick<AppConfig, 'server'>,
    private readonly source: ConfigSource,
    private readonly usedTokens: UsedKeyRepository,
    private readonly newStores: NewStores,
    private readonly clock: Clock,
  ) {}

  /**
   * The consent page of the shop, and the state that the browser keeps in a cookie. Throws InstallRefused for what is no shop, for a
   * wrong signature, and for a shop of a configuration file where the store signed the link. Without a signature the answer is the same for
   * every shop: a stranger must not learn which shops are here.
   */
  begin(query: URLSearchParams): { readonly location: string; readonly state: string } {
    const { shop, template, target, states, redirectUri } = this.#flow(query);
    // A link that a person made has no signature. One that the store made has.
    if (query.has('hmac')) {
      if (!isSignedQuery(query, target.clientSecret)) throw new InstallRefused(401, NOT_SIGNED);
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
    if (!isSignedQuery(query, target.clientSecret)) throw new InstallRefused(401, NOT_SIGNED);
    this.#refuseOthers(shop, template);
    const now = this.clock.now();
    const state = states.read(query.get('state') ?? '', cookie, shop, now);
    if (state === null)
      throw new InstallRefused(
        403,
        'this installation began in another browser or too long ago: begin again',
      );
    const code = query.get('code') ?? '';
    if (code === '') throw new InstallRefused(400, 'the store sent no code: begin again');
    if (!(await this.usedTokens.use(state.id, state.until)))
      throw new InstallRefused(403, 'this address was used before: begin again');
    const grant = await exchanged(target, code, scopesFor(template.writeBack));
    const storeKey = await this.newStores.keyOf(shop);
    if (storeKey === null)
      throw new InstallRefused(
        409,
        'another store has the name of this shop: ask the operator of this program',
      );
    await this.newStores.add(storeKey, { shop, grant, at: now, address });
    return storeKey;
  }

  #flow(query: URLSearchParams): Flow {
    const { storeTemplate: template } = this.source.current;
    const { publicUrl } = this.config.server;
    if (template === undefined)
      throw new InstallRefused(404, 'this program takes no installations: storeTemplate is not set');
    if (publicUrl === undefined)
      throw new InstallRefused(503, 'server.publicUrl is not set: the store could not send you back');
    const shop = query.getAll('shop').length === 1 ? shopOf(query.get('shop')) : null;
    if (shop === null)
      throw new InstallRefused(400, 'the address names no shop: expected ?shop=, with its permanent address');
    const { clientId = '', clientSecret = '' } = template.auth;
    return {
      shop,
      template,
      target: { shop, endpoint: template.endpoint, clientId, clientSecret },
      states: new InstallStates(clientSecret),
      redirectUri: `${withoutTrailing(publicUrl, '/')}/${INSTALL_ROUTES}/callback`,
    };
  }

  /** Throws InstallRefused for a shop of a configuration file, and for one without a workspace. */
  #refuseOthers(shop: string, template: Template): void {
    const { stores, workspaces } = this.source.current;
    if (Object.values(stores).some((store) => store.shop === shop))
      throw new InstallRefused(409, 'this shop is configured already: it needs no installation');
    if (!Object.hasOwn(workspaces, workspaceOf(template, shop)))
      throw new InstallRefused(
        409,
        'This shop has no workspace of the catalog service yet. Ask the operator for one.',
      );
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
    throw new InstallRefused(isRefusal ? 403 : 502, `the store did not give access: ${errorLine(error)}`, {
      cause: error,
    });
  }
}
