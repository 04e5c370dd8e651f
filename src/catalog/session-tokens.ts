import { TOKENS } from './assumptions.js';
import { isRecord, readUntrustedJson } from '../runtime/untrusted-json.js';

/** The tokens of a login and their expiry, by our clock. */
export interface Session {
  readonly access: string;
  readonly accessExpiresAtMs: number;
  /** The time of the next renewal, before the expiry. */
  readonly renewAtMs: number;
  /** Null when the service gave none: a login follows each expiry. */
  readonly refresh: string | null;
  readonly refreshExpiresAtMs: number;
}

const MARGIN_SHARE = 0.1;
const MAX_MARGIN_MS = 600_000;

/**
 * The session in the response to a login or refresh (docs/catalog-rules.md#post-login). A response without a refresh token keeps the one of `previous`. Undefined when there is no
 * access token.
 */
export function readSession(answer: unknown, nowMs: number, previous?: Session): Session | undefined {
  const access = typeof answer === 'string' ? answer : firstText(answer, TOKENS.accessFields);
  if (access === undefined || access === '') return undefined;
  const newRefresh = firstText(answer, TOKENS.refreshFields);
  const refresh = newRefresh ?? previous?.refresh ?? null;

  const accessMs = lifetimeMs(access, nowMs) ?? TOKENS.accessSeconds * 1000;
  const refreshMs = (refresh === null ? 0 : lifetimeMs(refresh, nowMs)) ?? TOKENS.refreshSeconds * 1000;
  const kept = newRefresh === undefined ? previous?.refreshExpiresAtMs : undefined;
  return {
    access,
    accessExpiresAtMs: nowMs + accessMs,
    renewAtMs: nowMs + accessMs - Math.min(accessMs * MARGIN_SHARE, MAX_MARGIN_MS),
    refresh,
    refreshExpiresAtMs: kept ?? nowMs + refreshMs,
  };
}

/**
 * The lifetime of a new token, if it is a JWT with an expiry. Its `exp` is relative to its `iat`, because the
 * service's clock differs from ours. Undefined when it has none, or an impossible one: a token that is expired when
 * issued would be renewed forever.
 */
function lifetimeMs(token: string, nowMs: number): number | undefined {
  const [, payload] = token.split('.');
  if (payload === undefined) return undefined;
  const claims = readUntrustedJson(Buffer.from(payload, 'base64url'));
  if (!claims.ok || !isRecord(claims.value)) return undefined;
  const { exp, iat } = claims.value;
  if (typeof exp !== 'number') return undefined;
  const ms = typeof iat === 'number' ? (exp - iat) * 1000 : exp * 1000 - nowMs;
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

function firstText(answer: unknown, fields: readonly string[]): string | undefined {
  if (!isRecord(answer)) return undefined;
  for (const field of fields) {
    const value = answer[field];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}
