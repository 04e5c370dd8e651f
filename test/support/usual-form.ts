import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { z } from 'zod';

/**
 * Expects `usual` to return what the schema returns, with members of the entry removed, added or changed at random. `usual` returns null
 * where only the schema can read an entry.
 */
export function expectAsItsSchema(
  {
    schema,
    usual,
    entry,
  }: {
    readonly schema: z.ZodType;
    readonly usual: (entry: unknown) => unknown;
    readonly entry: Readonly<Record<string, unknown>>;
  },
  /** Turns two values into equal ones where the program treats them alike. */
  alike: (value: unknown) => unknown = (value) => value,
): void {
  forOddEntries(entry, (other) => {
    const read = usual(other);
    if (read !== null) expect(alike(read)).toEqual(alike(schema.parse(other)));
  });
}

/** Calls `check` with entries whose members were removed, added or changed at random. */
export function forOddEntries(
  entry: Readonly<Record<string, unknown>>,
  check: (other: unknown) => void,
): void {
  const change = fc.tuple(fc.constantFrom(...pathsOf(entry)), ODD);
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 2 }),
      fc.dictionary(fc.string(), ODD, { maxKeys: 2 }),
      (changes, more) => {
        const other = changes.reduce<unknown>(
          (value, [path, by]) =>
            pathsOf(value).some((each) => each.join() === path.join()) ? changed(value, path, by) : value,
          { ...more, ...entry },
        );
        check(other);
      },
    ),
    { numRuns: 1_000 },
  );
}

/** Every path of a value, to members of lists and objects. */
function pathsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [
    [],
    ...Object.entries(value).flatMap(([name, member]) => pathsOf(member).map((path) => [name, ...path])),
  ];
}

/** The value with another one at a path; `undefined` removes it there. */
function changed(value: unknown, [name, ...path]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  const entries = Object.entries(value as Readonly<Record<string, unknown>>).map(
    ([each, member]): [string, unknown] => [each, each === name ? changed(member, path, by) : member],
  );
  if (Array.isArray(value)) return entries.map(([, member]) => member);
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined));
}

/** Values at the edges of what the schemas accept, and any JSON. */
const ODD = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    ' ',
    [],
    {},
    0,
    -1,
    1.5,
    2 ** 53,
    Infinity,
    true,
    'ACTIVE',
    'active',
    'UNLISTED',
    'gid://shopify/Product/1\n',
    'gid://shopify/Product/',
    'gid://shopify/ProductVariant/1x',
    '2026-02-29T10:00:00Z',
    '2026-11-19T10:00:00+02:00',
    '2026-11-19T10:00Z',
    '2026-11-19',
    'GRAMS',
    'STONES',
    'toString',
  ),
  fc.webUrl({ withQueryParameters: true, withFragments: true, validSchemes: ['http', 'https', 'ftp'] }),
  fc
    .tuple(
      fc.constantFrom('https://', 'http://', 'HTTPS://', 'https:/', '//'),
      fc.string({
        unit: fc.constantFrom('a', 'B', '1', '-', '.', 'xn--', '%', ':', '@', ' ', 'é'),
        maxLength: 80,
      }),
      fc.string({
        unit: fc.constantFrom('/', '..', '?', '%', '%zz', '#', '\\', ' ', 'a', '"', '\t'),
        maxLength: 10,
      }),
    )
    .map((parts) => parts.join('')),
  fc.jsonValue({ maxDepth: 2 }),
);
