import type { Assumptions } from './assumptions.js';
import { isRecord, readUntrustedJson } from './untrusted-json.js';

/** The tokens of a login and when they end, by our clock. */
export interface Session {
  readonly access: string;
  readonly accessExpiresAtMs: number;
  /** When a new access token is asked for, ahead of the expiry. */
  readonly renewAtMs: number;
  readonly refresh: string;
  readonly refreshExpiresAtMs: number;
}

const MARGIN_SHARE = 0.1;
const MAX_MARGIN_MS = 600_000;

/**
 * The session that a login or refresh answer makes (docs/catalog-rules.md#post-login). The fields are looked up by
 * the names of the assumptions; an answer without a refresh token keeps `previous`'s. Undefined when no access token, or no
 * refresh token at all, can be found.
 */
export function readSession(
  answer: unknown,
  nowMs: number,
  assumptions: Assumptions['tokens'],
  previous?: Session,
): Session | undefined {
  const access = typeof answer === 'string' ? answer : firstText(answer, assumptions.accessFields);
  if (access === undefined || access === '') return undefined;
  const newRefresh = firstText(answer, assumptions.refreshFields);
  const refresh = newRefresh ?? previous?.refresh;
  if (refresh === undefined) return undefined;

  const accessMs = lifetimeMs(access, nowMs) ?? assumptions.accessSeconds * 1000;
  const refreshMs = lifetimeMs(refresh, nowMs) ?? assumptions.refreshSeconds * 1000;
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
 * How long a token that was just issued lasts, if it is a JWT that says so. Its `exp` is taken relative to its `iat`, because
 * the service's clock is not ours. Undefined when it does not say, or says something that cannot be (a token that is
 * issued expired would be renewed for ever).
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
