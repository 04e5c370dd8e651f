import fc from 'fast-check';
import { HTML_PIECES } from '../support/html-samples.js';
import { HTML_WORST_CASES } from '../support/html-worst-cases.js';

/** Texts that something stumbles over somewhere. */
const ODD_TEXTS = [
  ...['', ' ', '\u0000', 'a\u0000b', '\ud83e', '\udd14x', '\u202e', '\ufeff', '%00', '%', '%E0%A4%A'],
  ...['../../etc/passwd', '__proto__', 'constructor', "'; DROP TABLE store_product; --", '" OR ""="'],
  ...['${jndi:ldap://x}', '<script>x</script>', 'NaN', '-1', '1e309', '9007199254740993', '9'.repeat(20)],
  ...['null', 'undefined', 'true', '[]', '{}', '=1+1', 'shopify:demo.myshopify.com:1'],
  ...['0001-01-01T00:00:00Z', '2026-13-45'],
  ...['+275760-09-13T00:00:00.001Z', '-271821-04-19', '9999-12-31T23:59:60Z'],
  ...['eyJ-'.repeat(2000), 'a'.repeat(20_000), '\n'.repeat(5000)],
];
const NUMBERS = [0, -0, -1, 1, 1.5, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, 1e-320];
/** HTML that runs or loads something where a page shows it. */
const ATTACKS = [
  ...['<p onclick="alert(1)">', '<p/onclick=alert(1)>', '<img src=x onerror=alert(1)>'],
  ...['<svg onload=alert(1)>', '<a href="javascript:alert(1)">', '<iframe src="https://evil.example">'],
  ...['<img src="https://evil.example/x.png" srcset="https://evil.example/x 1x">', '<form>', '<math>'],
  ...['<textarea>', '<noscript>', '<![CDATA[', '<!--'],
];
const MEAN_PIECE_LENGTH = 8;

/** One of the arbitraries, each by its weight. */
export function weighted<T>(...choices: readonly (readonly [number, fc.Arbitrary<T>])[]): fc.Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** The usual value, or one time in twenty an odd one. */
export function mostly<T>(usual: T, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return weighted([19, fc.constant(usual)], [1, odd]);
}

/** HTML of up to about so many characters: pieces at random, the first of them cut, or a worst case. */
export function html(length: number): fc.Arbitrary<string> {
  const unit = fc.constantFrom(...HTML_PIECES, ...ATTACKS);
  const pieces = fc.string({ unit, maxLength: length / MEAN_PIECE_LENGTH, size: 'max' });
  const worstCase = fc.constantFrom(...Object.values(HTML_WORST_CASES));
  return weighted(
    [4, fc.tuple(pieces, fc.nat(MEAN_PIECE_LENGTH)).map(([text, cut]) => text.slice(cut))],
    [1, fc.tuple(worstCase, fc.integer({ min: 100, max: length })).map(([filled, most]) => filled(most))],
  );
}

export const oddText = weighted(
  [7, fc.constantFrom(...ODD_TEXTS)],
  [2, html(2000)],
  [1, fc.string({ unit: 'binary' })],
);
const oddKey = oddText.map((text) => text.slice(0, 100));

/** A JSON value of a few levels, or of very many. */
export const oddValue = weighted<unknown>(
  [
    19,
    fc.anything({
      key: oddKey,
      values: [oddText, fc.constantFrom(...NUMBERS), fc.constantFrom(null, true, false)],
      maxDepth: 4,
      maxKeys: 6,
    }),
  ],
  [1, fc.constantFrom(50, 120, 1500).map(deep)],
);

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** A change of one part of a JSON value, with an odd value and key. What becomes undefined is left out. */
type Change = (part: unknown, value: unknown, key: string) => unknown;
const change = weighted<Change>(
  [12, fc.constant((_part, value) => value)],
  [4, fc.constant(() => undefined)],
  [3, fc.constant((part, value, key) => ({ ...(part as object), [key]: value }))],
  [1, fc.constant(repeated)],
);

/** Two thousand copies, or one of what is so large that copies of copies would not fit into a text. */
function repeated(part: unknown): unknown[] {
  return Array.from({ length: JSON.stringify(part).length > 1000 ? 1 : 2000 }, () => part);
}

/** Within more lists than a function can follow that calls itself for each of them. */
export function nested(text: string): string {
  return `{"constructor":1,"product":${'['.repeat(20_000)}${text}${']'.repeat(20_000)}}`;
}

const whole = (bytes: Buffer): Buffer => bytes;
const DAMAGES: readonly ((bytes: Buffer, at: number) => Buffer)[] = [
  (bytes, at) => bytes.subarray(0, at),
  (bytes, at) => {
    bytes[at] = at;
    return bytes;
  },
  (bytes) => Buffer.concat([bytes, bytes]),
  (bytes) => Buffer.from(nested(bytes.toString())),
  (bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
];
const damage = weighted([7, fc.constant(whole)], [3, fc.constantFrom(...DAMAGES)]);

/** JSON of the value, with some of its first thirty parts changed, and its bytes now and then damaged. */
export function oddJson(value: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> {
  const changes = fc.array(fc.tuple(fc.nat(29), change, oddValue, oddKey), { maxLength: 5 });
  return fc.tuple(value, changes, damage, fc.nat()).map(([usual, changed, damaged, at]) => {
    let part = -1;
    const text = JSON.stringify(usual, (_key, member: unknown) => {
      part += 1;
      const found = changed.find(([number]) => number === part);
      return found === undefined ? member : found[1](member, found[2], found[3]);
    }) as string | undefined;
    const bytes = Buffer.from(text ?? '');
    return damaged(bytes, at % (bytes.length + 1));
  });
}

const cellText = oddText.map((text) => text.slice(0, 500));
const cell = weighted(
  [8, cellText],
  [11, cellText.map((text) => `"${text.replaceAll('"', '""')}"`)],
  [1, cellText.map((text) => `"${text}"`)],
);
const line = fc
  .tuple(fc.array(cell, { minLength: 7, maxLength: 7 }), mostly(',', fc.constant(';')))
  .map(([cells, separator]) => cells.join(separator));
const header = mostly('Handle,Title,Body (HTML),Vendor,Variant SKU,Variant Price,Option1 Name', cell);

/** A file of products, with quotes, line ends and columns where they do not belong. */
export const csv: fc.Arbitrary<string> = fc
  .tuple(header, fc.array(line, { maxLength: 20, size: 'max' }), fc.constantFrom('\n', '\r\n', '\r'))
  .map(([first, lines, end]) => [first, ...lines].join(end));

export const product: fc.Arbitrary<unknown> = fc.record({
  id: fc.nat(49),
  external_id: fc.nat(49).map((id) => `shopify:main.myshopify.com:${String(id)}`),
  name: oddText,
  description: fc.constant('a text'),
  html_description: html(20_000),
  sections: fc.tuple(
    fc.constant({ code: 'material', value: 'steel' }),
    fc.record({ name: oddText, value: oddValue }),
  ),
  variants: fc.constant([]),
});

/** The task of each delivery, which whoever sends it replaces: the daemon takes a task's result once. */
export const TASK_ID = 'fuzz-task';

/** A result as the catalog delivers it. */
export const delivery: fc.Arbitrary<unknown> = fc.record({
  action: fc.constantFrom('product_generated', 'product_generation_failed', 'product_generation_no_urls'),
  status: fc.constant('SUCCESS'),
  credits: fc.constant({ consumed: 1, remaining: 5 }),
  task: fc.constant({ id: TASK_ID, status: 'SUCCESS', urls: [], created_at: '2026-11-19T10:00:00Z' }),
  product,
});

/** An event as the store sends it. */
export const storeEvent: fc.Arbitrary<unknown> = fc.tuple(fc.nat(999), oddText).map(([id, title]) => ({
  id,
  admin_graphql_api_id: `gid://shopify/Product/${String(id)}`,
  title,
  updated_at: '2026-11-19T10:00:00Z',
}));
