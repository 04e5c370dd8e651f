import { createHash, randomBytes, scryptSync } from 'node:crypto';
import type { Queryable } from '../database.js';
import { SCOPES, isScope, type Scope } from './scopes.js';

export interface Account {
  readonly id: number;
  readonly email: string;
  readonly scopes: readonly Scope[];
}

interface AccountRow {
  id: number;
  email: string;
  scopes: string[];
}

const TOKEN_PREFIX = 'cat_';

/**
 * The tasks of the service's operator: API tokens and users. No endpoint does any of it
 * (docs/catalog-rules.md#authentication).
 */
export class Accounts {
  constructor(
    private readonly database: Queryable,
    private readonly clock: () => Date,
  ) {}

  /** The token's full value is in this answer and nowhere else: what is stored is its hash. */
  async issueApiToken(
    name: string,
    scopes: readonly Scope[] = SCOPES,
  ): Promise<{ readonly id: number; readonly token: string }> {
    const token = TOKEN_PREFIX + randomBytes(32).toString('base64url');
    const { rows } = await this.database.query<{ id: number }>(
      'INSERT INTO api_token (name, token_hash, scopes, created_at) VALUES ($1, $2, $3, $4) RETURNING id',
      [name, hashToken(token), scopes, this.clock()],
    );
    const id = rows[0]?.id;
    if (id === undefined) throw new Error('The API token was not stored');
    return { id, token };
  }

  /** False when no token that is still valid has this id. */
  async revokeApiToken(id: number): Promise<boolean> {
    const { rowCount } = await this.database.query(
      'UPDATE api_token SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL',
      [id, this.clock()],
    );
    return rowCount === 1;
  }

  /** A user that exists already gets the new password and scopes. */
  async createUser(email: string, password: string, scopes: readonly Scope[] = SCOPES): Promise<void> {
    await this.database.query(
      `INSERT INTO account (email, password_hash, scopes, created_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (email) DO UPDATE SET password_hash = excluded.password_hash, scopes = excluded.scopes`,
      [email.toLowerCase(), hashPassword(email, password), scopes, this.clock()],
    );
  }

  /** The scopes of an API token that is valid now; undefined when it is unknown or revoked. */
  async scopesOfApiToken(token: string): Promise<readonly Scope[] | undefined> {
    const { rows } = await this.database.query<{ scopes: string[] }>(
      'SELECT scopes FROM api_token WHERE token_hash = $1 AND revoked_at IS NULL',
      [hashToken(token)],
    );
    return rows[0]?.scopes.filter(isScope);
  }

  async accountByPassword(email: string, password: string): Promise<Account | undefined> {
    return this.findAccount('email = $1 AND password_hash = $2', [
      email.toLowerCase(),
      hashPassword(email, password),
    ]);
  }

  async accountById(id: number): Promise<Account | undefined> {
    return this.findAccount('id = $1', [id]);
  }

  private async findAccount(condition: string, values: unknown[]): Promise<Account | undefined> {
    const { rows } = await this.database.query<AccountRow>(
      `SELECT id, email, scopes FROM account WHERE ${condition}`,
      values,
    );
    return rows[0] && { ...rows[0], scopes: rows[0].scopes.filter(isScope) };
  }

  /** Whether the workspace's subscription covers the API; one that lapsed answers 403 (docs/catalog-rules.md, AUTH-15). */
  async setSubscription(active: boolean): Promise<void> {
    await this.database.query(
      `INSERT INTO setting (key, value) VALUES ('subscription', to_jsonb($1::boolean))
       ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      [active],
    );
  }

  async hasSubscription(): Promise<boolean> {
    const { rows } = await this.database.query<{ value: unknown }>(
      `SELECT value FROM setting WHERE key = 'subscription'`,
    );
    return rows[0]?.value !== false;
  }
}

function hashPassword(email: string, password: string): string {
  return scryptSync(password, email.toLowerCase(), 32).toString('hex');
}

function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}
