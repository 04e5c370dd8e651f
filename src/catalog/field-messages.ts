import { isRecord } from '../runtime/untrusted-json.js';

const MAX_FIELDS = 100;
const MAX_MESSAGES = 20;
const MAX_DEPTH = 12;

/**
 * The field messages of a validation error by field (docs/catalog-rules.md#errors). Nested shapes become dotted paths
 * (`variants.0.sku`). A body that is not a map is kept under `detail`. Bounded, and every text passes through
 * `clean`.
 */
export function readFieldMessages(
  body: unknown,
  clean: (text: string) => string,
): Readonly<Record<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  collect(body, '', 0, (path, text) => {
    const field = clean(path) || 'detail';
    const message = clean(text);
    const messages = found.get(field) ?? [];
    if (message === '' || messages.length >= MAX_MESSAGES) return;
    if (messages.length === 0 && found.size >= MAX_FIELDS) return;
    found.set(field, [...messages, message]);
  });
  return Object.fromEntries(found);
}

function collect(
  value: unknown,
  path: string,
  depth: number,
  add: (path: string, text: string) => void,
): void {
  if (value === null || value === undefined || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => {
      // Messages are in a list under their field. Objects in a list are the items of a nested list, named by their
      // index.
      const nested = item !== null && typeof item === 'object';
      collect(item, nested ? join(path, String(index)) : path, depth + 1, add);
    });
    return;
  }
  if (isRecord(value)) {
    for (const [key, item] of Object.entries(value)) collect(item, join(path, key), depth + 1, add);
    return;
  }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    add(path, String(value));
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
