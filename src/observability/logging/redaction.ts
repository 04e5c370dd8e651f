import { SHORTEST_SECRET } from '../../domain/secret-strength.js';

const MASK = '***';

/** Names of credentials, in lower case and without `-` and `_`. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'access',
  'accesstoken',
  'admintoken',
  'apitoken',
  'authorization',
  'clientsecret',
  'consumerkey',
  'consumersecret',
  'cookie',
  'hmacsecret',
  'password',
  'previoushmacsecret',
  'proxyauthorization',
  'refresh',
  'refreshtoken',
  'secret',
  'setcookie',
  'token',
  'webhooksecret',
]);

/** Headers that stores and services name after themselves: `x-…-access-token`, `x-…-hmac-sha256`, `x-…-signature`. */
const HEADER_OF_SECRET = /^x.*(?:accesstoken|hmacsha256|signature)$/;

/** The forms of credentials that are issued at run time and so are not in the configuration. */
const SECRET_FORMS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{16,}/gi, `$1 ${MASK}`],
  [/\bshp[a-z]{2}_[A-Za-z0-9]{16,}/g, MASK],
  [/\bc[ks]_[0-9a-f]{16,}/g, MASK],
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"']{0,200}):[^\s/@"']{1,500}@/gi, `$1:${MASK}@`],
];

function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[-_]/g, '');
  return SECRET_NAMES.has(plain) || HEADER_OF_SECRET.test(plain);
}

/**
 * Masks JSON Web Tokens in a run of letters, digits, points and similar characters. The parts between points are
 * checked one by one, because a pattern for all three would scan the rest of the run again from each possible start.
 */
function withoutWebTokens(run: string): string {
  const parts = run.split('.');
  const kept: string[] = [];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? '';
    const start = part.search(/\beyJ[\w-]{8}/);
    const [payload, signature] = [parts[at + 1], parts[at + 2]];
    if (start === -1 || payload === undefined || payload.length < 4 || signature === undefined) {
      kept.push(part);
    } else {
      kept.push(part.slice(0, start) + MASK);
      at += 2;
    }
  }
  return kept.join('.');
}

export type Redactor = (text: string) => string;

/**
 * Returns a function that masks the given secrets, also percent-encoded, and everything with the form of a
 * credential. Secrets shorter than `SHORTEST_SECRET` are not masked: they may be ordinary words.
 */
export function redactorOf(secrets: readonly string[]): Redactor {
  const long = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  const spellings = new Set(long.flatMap((secret) => [secret, encodeURIComponent(secret)]));
  // Longest first, because a secret may be the start of another one.
  const known = [...spellings].sort((a, b) => b.length - a.length);
  return (text) => {
    const withoutKnown = known.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
    return SECRET_FORMS.reduce(
      (rest, [form, mask]) => rest.replaceAll(form, mask),
      withoutKnown.replaceAll(/[\w.-]{16,}/g, withoutWebTokens),
    );
  };
}

/** `text` with all secrets masked. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  return redactorOf(secrets)(text);
}

/** A JSON value with secrets masked at any depth, by name and by value. */
export function redactValue(value: unknown, redact: Redactor): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((member) => redactValue(member, redact));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    const hidden = isSecretName(name) && member !== null && member !== '';
    return [redact(name), hidden ? MASK : redactValue(member, redact)];
  });
  return Object.fromEntries(members);
}
