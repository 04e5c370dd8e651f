import { HTML_PIECES } from '../support/html-samples.js';
import { HTML_WORST_CASES } from '../support/html-worst-cases.js';
import type { Chance } from './chance.js';

/** Texts that something stumbles over somewhere. */
const ODD_TEXTS: readonly string[] = [
  ...[
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud83e',
    '\udd14x',
    '\u202e',
    '\ufeff',
    '%00',
    '%',
    '%E0%A4%A',
    '../../etc/passwd',
  ],
  ...[
    '__proto__',
    'constructor',
    "'; DROP TABLE store_product; --",
    '" OR ""="',
    '${jndi:ldap://x}',
    '<script>x</script>',
  ],
  ...[
    'NaN',
    '-1',
    '1e309',
    '9007199254740993',
    '99999999999999999999',
    'null',
    'undefined',
    'true',
    '[]',
    '{}',
  ],
  ...[
    '0001-01-01T00:00:00Z',
    '+275760-09-13T00:00:00.001Z',
    '-271821-04-19',
    '9999-12-31T23:59:60Z',
    '2026-13-45',
  ],
  ...['eyJ-'.repeat(2000), 'a'.repeat(20_000), '\n'.repeat(5000), '=1+1', 'shopify:demo.myshopify.com:1'],
];

const NUMBERS = [0, -0, -1, 1, 1.5, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, 1e-320];

export function oddText(chance: Chance): string {
  return chance.happens(0.7) ? chance.of(ODD_TEXTS) : html(chance, 2000);
}

/** A JSON value of a few levels, or of very many. */
export function oddValue(chance: Chance, depth = 0): unknown {
  const kind = chance.below(depth > 4 ? 4 : 7);
  switch (kind) {
    case 0:
      return oddText(chance);
    case 1:
      return chance.of(NUMBERS);
    case 2:
      return chance.of([null, true, false]);
    case 3:
      return chance.happens(0.05) ? deep(chance.of([50, 120, 1500])) : oddText(chance);
    case 4:
      return Array.from({ length: chance.below(6) }, () => oddValue(chance, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: chance.below(6) }, () => [
          oddText(chance).slice(0, 100),
          oddValue(chance, depth + 1),
        ]),
      );
  }
}

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** The value with some of its parts replaced, left out or repeated. */
export function mutated(value: unknown, chance: Chance, share = 0.15): unknown {
  if (chance.happens(share / 2)) return oddValue(chance, 2);
  if (Array.isArray(value)) {
    const items = value.map((item) => mutated(item, chance, share));
    return chance.happens(0.02) ? repeated(items[0] ?? 1) : items;
  }
  if (typeof value !== 'object' || value === null) return chance.happens(share) ? oddValue(chance, 3) : value;
  const members = Object.entries(value)
    .filter(() => !chance.happens(share / 3))
    .map(([name, member]): [string, unknown] => [name, mutated(member, chance, share)]);
  if (chance.happens(share / 2)) members.push([oddText(chance).slice(0, 200), oddValue(chance, 3)]);
  return Object.fromEntries(members);
}

/** Two thousand copies, or one of what is so large that copies of copies would not fit into a text. */
function repeated(item: unknown): unknown[] {
  const length = JSON.stringify(item).length > 1000 ? 1 : 2000;
  return Array.from({ length }, () => item);
}

/** The bytes, now and then damaged. */
export function damaged(text: string, chance: Chance): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length === 0 || !chance.happens(0.3)) return bytes;
  switch (chance.below(4)) {
    case 0:
      return bytes.subarray(0, chance.below(bytes.length));
    case 1:
      for (let count = 0; count < 5; count++) bytes[chance.below(bytes.length)] = chance.below(256);
      return bytes;
    case 2:
      return Buffer.concat([bytes, bytes]);
    default:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
  }
}

/** HTML of up to so many characters: pieces at random, or a worst case. */
export function html(chance: Chance, length: number): string {
  if (chance.happens(0.2))
    return chance.of(Object.values(HTML_WORST_CASES))(Math.max(100, chance.below(length)));
  let text = '';
  const wanted = chance.below(length);
  while (text.length < wanted) text += chance.of(HTML_PIECES);
  return chance.happens(0.3) ? text.slice(chance.below(text.length + 1)) : text;
}

/** A file of products, with quotes, line ends and columns where they do not belong. */
export function csv(chance: Chance): string {
  const cell = (): string => {
    const text = oddText(chance).slice(0, 500);
    return chance.happens(0.6) ? `"${chance.happens(0.9) ? text.replaceAll('"', '""') : text}"` : text;
  };
  const columns = [
    'Handle',
    'Title',
    'Body (HTML)',
    'Vendor',
    'Variant SKU',
    'Variant Price',
    'Option1 Name',
  ];
  const header = chance.happens(0.9) ? columns.join(',') : cell();
  const lines = Array.from({ length: chance.below(20) }, () =>
    columns.map(cell).join(chance.of([',', ',', ',', ';'])),
  );
  return [header, ...lines].join(chance.of(['\n', '\r\n', '\r']));
}

/** A result as the catalog delivers it. */
export function delivery(chance: Chance, number: number): unknown {
  return {
    action: chance.of(['product_generated', 'product_generation_failed', 'product_generation_no_urls']),
    status: 'SUCCESS',
    credits: { consumed: 1, remaining: 5 },
    task: { id: `fuzz-${String(number)}`, status: 'SUCCESS', urls: [], created_at: '2026-11-19T10:00:00Z' },
    product: {
      id: chance.below(50),
      external_id: `shopify:main.myshopify.com:${String(chance.below(50))}`,
      name: oddText(chance),
      description: 'a text',
      html_description: html(chance, 20_000),
      sections: [
        { code: 'material', value: 'steel' },
        { name: oddText(chance), value: oddValue(chance) },
      ],
      variants: [],
    },
  };
}

/** An event as the store sends it. */
export function storeEvent(chance: Chance): unknown {
  const id = chance.below(1000);
  return {
    id,
    admin_graphql_api_id: `gid://shopify/Product/${String(id)}`,
    title: oddText(chance),
    updated_at: '2026-11-19T10:00:00Z',
  };
}

/** A way to write an address that makes a shop act, of any shop. */
export function actingAddress(chance: Chance): string {
  const encoded = (sign: string): string => {
    const code = sign.charCodeAt(0).toString(16);
    return chance.of([sign, sign, sign.toUpperCase(), `%${code}`, `%25${code}`, `%2525${code}`]);
  };
  const action = chance.of([
    'cart',
    'checkout',
    'checkouts',
    'account',
    'discount',
    'orders',
    'login',
    'admin',
  ]);
  const host = chance.of(['www.tessera.example', 'tessera.example.', 'TESSERA.example:443', 'shop.example']);
  const before = chance.of([
    '',
    '',
    '/de',
    '/zh-hans',
    '/en-us/de',
    '/123456',
    '/x/..',
    '/x/%2e%2e',
    '/;a',
    '/.',
  ]);
  const slash = chance.of(['/', '//', '/%2f', '/./']);
  const after = chance.of([
    '',
    '/clear',
    '.js',
    '.json',
    ';x',
    '%20',
    '?a=1',
    '#b',
    '/CODE?redirect=/x',
    '%3bx',
  ]);
  const name = Array.from(action, encoded).join('');
  return `${chance.of(['https:', 'http:', 'HTTPS:', ''])}//${host}${before}${slash}${name}${after}`;
}
