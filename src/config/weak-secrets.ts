import { SHORTEST_SECRET, weaknessOf, type Weakness } from '../domain/secret-strength.js';
import type { AppConfig } from './schema.js';
import { isSecretKey } from './secrets.js';

/** A configured secret that is too short or known to everybody. */
export interface WeakSecret {
  /** Path of its key, such as `server.adminToken`. */
  readonly key: string;
  readonly weakness: Weakness;
  /**
   * `operator`: the operator chose it, and it guards an entry of this program. `other side`: a service issued it, so
   * that its length is that service's choice.
   */
  readonly issuedBy: 'operator' | 'other side';
  /** The problem and the remedy, without the value. */
  readonly text: string;
}

interface Entry {
  readonly key: string;
  readonly value: string | undefined;
  readonly issuedBy: WeakSecret['issuedBy'];
}

/** All weak secrets, in the order of the configuration. */
export function weakSecrets(config: AppConfig): readonly WeakSecret[] {
  return [...serverTokens(config), ...sides(config)].flatMap(found);
}

/** The weak tokens that open the API and the dashboard. */
export function weakTokens(config: AppConfig): readonly WeakSecret[] {
  return serverTokens(config).flatMap(found);
}

function serverTokens({ server }: AppConfig): Entry[] {
  const own = { issuedBy: 'operator' } as const;
  return [
    { key: 'server.adminToken', value: server.adminToken, ...own },
    ...Object.entries(server.tokens).map(([name, { token }]) => ({
      key: `server.tokens.${name}.token`,
      value: token,
      ...own,
    })),
  ];
}

function sides(config: AppConfig): Entry[] {
  const own = { issuedBy: 'operator' } as const;
  const other = { issuedBy: 'other side' } as const;
  return [
    ...config.server.encryptionKey.map((value): Entry => ({ key: 'server.encryptionKey', value, ...own })),
    ...Object.entries(config.workspaces).flatMap(([name, { auth, webhook }]): Entry[] => {
      const key = `workspaces.${name}`;
      return [
        { key: `${key}.auth.apiToken`, value: auth.apiToken, ...other },
        { key: `${key}.auth.password`, value: auth.password, ...other },
        { key: `${key}.webhook.hmacSecret`, value: webhook.hmacSecret, ...own },
        { key: `${key}.webhook.previousHmacSecret`, value: webhook.previousHmacSecret, ...own },
      ];
    }),
    ...Object.entries(config.stores).flatMap(([name, { auth, webhookSecret }]): Entry[] => {
      const key = `stores.${name}`;
      return [
        ...Object.entries(auth)
          .filter(([part]) => isSecretKey(part))
          .map(([part, value]): Entry => ({ key: `${key}.auth.${part}`, value, ...other })),
        { key: `${key}.webhookSecret`, value: webhookSecret, ...own },
      ];
    }),
  ];
}

function found({ key, value, issuedBy }: Entry): WeakSecret[] {
  const weakness = value === undefined ? null : weaknessOf(value);
  if (weakness === null) return [];
  return [{ key, weakness, issuedBy, text: `${key} ${explained(weakness, issuedBy)}` }];
}

function explained(weakness: Weakness, issuedBy: WeakSecret['issuedBy']): string {
  const remedy = issuedBy === 'operator' ? 'make another: openssl rand -hex 32' : 'enter the real one';
  if (weakness === 'placeholder') return `is a known placeholder: ${remedy}`;
  return `has fewer than ${String(SHORTEST_SECRET)} characters: ${issuedBy === 'operator' ? remedy : 'logs cannot mask it'}`;
}
