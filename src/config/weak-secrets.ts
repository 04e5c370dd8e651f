import { SHORTEST_SECRET, weaknessOf, type Weakness } from '../domain/secret-strength.js';
import type { AppConfig } from './schema.js';
import { secretsIn } from './secrets.js';

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

/** The secrets that an operator chooses. A service or a store issued all others. */
const CHOSEN: ReadonlySet<string> = new Set([
  'adminToken',
  'token',
  'encryptionKey',
  'hmacSecret',
  'previousHmacSecret',
  'webhookSecret',
]);

/** All weak secrets, in the order of the configuration. */
export function weakSecrets({ server, workspaces, stores }: AppConfig): readonly WeakSecret[] {
  return secretsIn({ server, workspaces, stores }).flatMap(({ path, value }) => {
    const weakness = weaknessOf(value);
    if (weakness === null) return [];
    const key = path.join('.');
    const issuedBy = CHOSEN.has(path.at(-1) ?? '') ? 'operator' : 'other side';
    return [{ key, weakness, issuedBy, text: `${key} ${explained(weakness, issuedBy)}` }];
  });
}

/** The weak tokens that open the API and the dashboard. */
export function weakTokens(config: AppConfig): readonly WeakSecret[] {
  return weakSecrets(config).filter(({ key }) => /^server\.(adminToken|tokens\.)/.test(key));
}

function explained(weakness: Weakness, issuedBy: WeakSecret['issuedBy']): string {
  const remedy = issuedBy === 'operator' ? 'make another: openssl rand -hex 32' : 'enter the real one';
  if (weakness === 'placeholder') return `is a known placeholder: ${remedy}`;
  return `has fewer than ${String(SHORTEST_SECRET)} characters: ${issuedBy === 'operator' ? remedy : 'logs cannot mask it'}`;
}
