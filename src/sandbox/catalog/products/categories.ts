import { createHash } from 'node:crypto';
import type { Queryable } from '../database.js';

const NAMESPACE = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');

/** The levels of a category path (`Root > Subcategory`), from the root; empty for a blank path. */
export function categoryLevels(path: string): string[] {
  return path
    .split('>')
    .map((level) => level.trim())
    .filter((level) => level !== '');
}

/** UUID (version 5) of a category: the same path has the same id on every sandbox. */
export function categoryId(path: string): string {
  const hash = createHash('sha1').update(NAMESPACE).update(categoryLevels(path).join(' > ')).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

/** Makes the category and its ancestors where they are missing. Null for a blank path. */
export async function ensureCategory(tx: Queryable, path: string | null): Promise<string | null> {
  let parentId: string | null = null;
  const levels = categoryLevels(path ?? '');
  for (const depth of levels.keys()) {
    const ancestor = levels.slice(0, depth + 1).join(' > ');
    const id = categoryId(ancestor);
    await tx.query('INSERT INTO category (id, parent_id, path) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      id,
      parentId,
      ancestor,
    ]);
    parentId = id;
  }
  return parentId;
}
