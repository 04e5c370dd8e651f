const EXCERPT_SOURCE_CHARS = 16_384;
const MASK = '[redacted]';
const ROTATING_LIMIT = 64;

/**
 * Knows the secrets of one client and removes them from every text that may reach a log, an error or a page. A
 * service may echo a token or a password in its own message.
 */
export class Redactor {
  private readonly fixed = new Set<string>();
  private readonly rotating: string[] = [];

  /** Permanent secrets. Values shorter than 4 characters are ignored, because they would mask half of any text. */
  addFixed(...secrets: readonly (string | null | undefined)[]): void {
    for (const spelling of secrets.flatMap(spellings)) this.fixed.add(spelling);
  }

  /** Temporary secrets (session tokens, a webhook secret). The oldest are forgotten. */
  add(...secrets: readonly (string | null | undefined)[]): void {
    for (const spelling of secrets.flatMap(spellings)) {
      if (!this.rotating.includes(spelling)) this.rotating.push(spelling);
    }
    this.rotating.splice(0, Math.max(0, this.rotating.length - ROTATING_LIMIT));
  }

  redact(text: string): string {
    // Longest first, because a secret may be the start of another one.
    const secrets = [...this.fixed, ...this.rotating].sort((a, b) => b.length - a.length);
    return secrets.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
  }

  /** One line of at most `maxChars`, without control and invisible characters and without secrets. */
  excerpt(text: string, maxChars = 200): string {
    const clean = text
      .slice(0, EXCERPT_SOURCE_CHARS)
      .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .trim();
    const safe = this.redact(clean);
    return safe.length <= maxChars ? safe : `${safe.slice(0, maxChars - 1)}…`;
  }
}

function spellings(secret: string | null | undefined): string[] {
  if (secret === null || secret === undefined || secret.length < 4) return [];
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])];
}
