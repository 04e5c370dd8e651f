import { randomBytes, randomUUID } from 'node:crypto';
import { SignJWT, errors, jwtVerify } from 'jose';
import { z } from 'zod';
import type { Queryable } from '../database.js';

const ISSUER = 'catalog-sandbox';
const ALGORITHM = 'HS256';
const DAY_SECONDS = 24 * 60 * 60;

/** docs/catalog-rules.md#limits: how long each kind of token is valid. */
export const TOKEN_LIFETIME_SECONDS = { access: 7 * DAY_SECONDS, refresh: 14 * DAY_SECONDS } as const;
export type TokenKind = keyof typeof TOKEN_LIFETIME_SECONDS;

const claims = z.object({
  sub: z.string().regex(/^\d{1,9}$/),
  token_type: z.enum(['access', 'refresh']),
});

/** The JWTs of interactive sessions (docs/catalog-rules.md#authentication). The key is in the database: a restart keeps sessions. */
export class JwtIssuer {
  private constructor(
    private readonly key: Uint8Array,
    private readonly clock: () => Date,
  ) {}

  static async open(database: Queryable, clock: () => Date): Promise<JwtIssuer> {
    await database.query(
      `INSERT INTO setting (key, value) VALUES ('jwt_key', to_jsonb($1::text)) ON CONFLICT DO NOTHING`,
      [randomBytes(32).toString('hex')],
    );
    const { rows } = await database.query<{ value: unknown }>(
      `SELECT value FROM setting WHERE key = 'jwt_key'`,
    );
    return new JwtIssuer(Buffer.from(z.string().parse(rows[0]?.value), 'hex'), clock);
  }

  issue(kind: TokenKind, accountId: number): Promise<string> {
    const issuedAt = Math.floor(this.clock().getTime() / 1000);
    return new SignJWT({ token_type: kind })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .setIssuer(ISSUER)
      .setSubject(String(accountId))
      .setJti(randomUUID())
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + TOKEN_LIFETIME_SECONDS[kind])
      .sign(this.key);
  }

  /** Account id of a token of this kind that is valid now; undefined for anything else. */
  async verify(kind: TokenKind, token: string): Promise<number | undefined> {
    try {
      const { payload } = await jwtVerify(token, this.key, {
        issuer: ISSUER,
        algorithms: [ALGORITHM],
        currentDate: this.clock(),
        requiredClaims: ['exp'],
      });
      const parsed = claims.safeParse(payload);
      return parsed.success && parsed.data.token_type === kind ? Number(parsed.data.sub) : undefined;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  /** Whether this service signed the token, however long ago. */
  async isOurs(token: string): Promise<boolean> {
    try {
      await jwtVerify(token, this.key, { issuer: ISSUER, algorithms: [ALGORITHM], currentDate: new Date(0) });
      return true;
    } catch (error) {
      if (error instanceof errors.JOSEError) return false;
      throw error;
    }
  }
}
