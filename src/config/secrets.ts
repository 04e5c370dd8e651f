import { isMap } from './config-file.js';
import type { AppConfig } from './schema.js';

/** Keys with secret values, at any depth. */
const SECRET_KEYS: ReadonlySet<string> = new Set([
  'adminToken',
  'token',
  'apiToken',
  'password',
  'hmacSecret',
  'previousHmacSecret',
  'accessToken',
  'clientSecret',
  'consumerKey',
  'consumerSecret',
  'webhookSecret',
  'webhookUrl',
  'secret',
  'encryptionKey',
]);

/** Whether a setting of this name, at any depth, has a secret value. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEYS.has(key);
}

/** A text of the configuration, and the path of the setting that has it. */
interface SettingText {
  readonly path: readonly string[];
  readonly value: string;
}

function textsIn(value: unknown, path: readonly string[] = []): SettingText[] {
  if (typeof value === 'string') return [{ path, value }];
  if (Array.isArray(value)) return value.flatMap((member) => textsIn(member, path));
  if (!isMap(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => textsIn(member, [...path, name]));
}

/** The settings of these sections with secret values. */
export function secretsIn(sections: object): SettingText[] {
  return textsIn(sections).filter(({ path, value }) => value !== '' && isSecretKey(path.at(-1) ?? ''));
}

/**
 * All secrets of the configuration, for redaction: the values of those keys, and the passwords in server URLs,
 * encoded and decoded.
 */
export function secretValues(config: AppConfig): string[] {
  const passwords = textsIn(config).flatMap(({ value }) => urlPasswords(value));
  return [...new Set([...secretsIn(config).map(({ value }) => value), ...passwords])];
}

/** The configuration as plain data for display, with `***` for each secret. */
export function describeConfig(config: AppConfig): Readonly<Record<string, unknown>> {
  const shown = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return isSecretKey(key) ? '***' : withoutPassword(value);
    if (Array.isArray(value)) return value.map((member) => shown(member, key));
    if (!isMap(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shown(member, name)]));
  };
  return Object.fromEntries(Object.entries(config).map(([name, member]) => [name, shown(member, name)]));
}

/** The clients of PostgreSQL and Redis take a password in the query as well. */
const PASSWORD_IN_QUERY = /(?<=[?&]password=)[^&#]*/;

function urlPasswords(value: string): string[] {
  const url = URL.parse(value);
  const found = [url?.password, url?.search.match(PASSWORD_IN_QUERY)?.[0]];
  return found.flatMap((password) =>
    password === undefined || password === '' ? [] : spellingsOf(password),
  );
}

function spellingsOf(password: string): string[] {
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    // The password is not percent-encoded, so it has only one spelling.
    return [password];
  }
}

function withoutPassword(value: string): string {
  const url = URL.parse(value);
  if (url === null || urlPasswords(value).length === 0) return value;
  if (url.password !== '') url.password = '***';
  url.search = url.search.replace(PASSWORD_IN_QUERY, '***');
  return url.href;
}
