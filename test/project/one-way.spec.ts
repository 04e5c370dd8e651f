import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { placesWhere, sourceFiles, type SourceFile } from '../support/source-files.js';

interface Mechanism {
  readonly what: string;
  /** The module that everything else uses. */
  readonly home: string;
  /** A copy of the mechanism by hand. */
  readonly isCopy: (node: ts.Node) => boolean;
  /** Files that use the same syntax for another purpose, with that purpose. */
  readonly elsewhere: Readonly<Record<string, string>>;
  /** Code that the check must find, and code that it must not. */
  readonly found: readonly string[];
  readonly passed: readonly string[];
}

const MECHANISMS: readonly Mechanism[] = [
  {
    what: 'a limit on the time of work',
    home: 'src/runtime/time-limit.ts',
    isCopy: (node) => isCallOf(node, /^((globalThis\.)?setTimeout|Promise\.race)$/),
    elsewhere: {
      'src/queue/delivery-pacer.ts': 'gathers a batch',
      'src/sync/batch-writer.ts': 'gathers a batch',
      'src/sync/apply.ts': 'waits for the first of several actions',
      'src/sites/listing-walk.ts': 'waits for the first of two pages',
      'src/queue/postgres-connection.ts': 'delays a refusal',
      'src/webhooks/reply.ts': 'ends a response later',
      'src/schedule/scheduler.ts': 'starts work later',
      'src/sync/run-steps.ts': 'starts a write later',
      'src/cli/start.command.ts': 'waits for one of two signals, and ends a process that does not stop',
      'src/sandbox/catalog/worker.ts': 'a pause that new work ends',
    },
    found: ['setTimeout(end, 5)', 'globalThis.setTimeout(end, 5)', 'Promise.race([work, late])'],
    passed: ['clock.sleep(5)', 'stream.setTimeout(5)', 'AbortSignal.timeout(5)', '// setTimeout(end, 5)'],
  },
  {
    what: 'the name and the target of a metafield',
    home: 'src/domain/metafield-key.ts',
    isCopy: (node) =>
      (isText(node) && /^[^]metafield:/.test(node.getText())) ||
      (ts.isTemplateExpression(node) && /\bnamespace\}\.\$\{(\w+\.)?key\}/.test(node.getText())) ||
      isCallOf(node, /\.lastIndexOf$/, /^'\.'$/),
    elsewhere: {
      'src/planner/gates/quantities.ts': 'the decimal point of a number',
      // The sandbox shares no code with the program (docs/decisions/0020-the-sandbox-is-part-of-the-product.md).
      'src/sandbox/store/product-changes.ts': 'a metafield of the sandbox store',
      'src/sandbox/store/product-view.ts': 'a metafield of the sandbox store',
      'src/sandbox/store/state.ts': 'a metafield of the sandbox store',
    },
    found: [
      "target.startsWith('metafield:')",
      '`metafield:${name}`',
      '`${field.namespace}.${field.key}`',
      '`the store set ${namespace}.${key}`',
      "name.lastIndexOf('.')",
    ],
    passed: ["z.literal('metafield')", '`${namespace}.${name}`', "text.lastIndexOf(' ')"],
  },
  {
    what: 'a schedule of repetitions',
    home: 'src/domain/backoff.ts',
    isCopy: (node) =>
      (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.AsteriskAsteriskToken) ||
      isCallOf(node, /^Math\.min$/, /^(\w+Ms|times|attempts?|failures) \* [\d._]+$/) ||
      (ts.isVariableDeclaration(node) && /^\w+_MS\b[^]*= \[/.test(node.getText())) ||
      (ts.isBinaryExpression(node) && /^\w*([sS]tep|delay|wait)(Ms)? \/ 2$/.test(node.getText())) ||
      (ts.isBinaryExpression(node) && /^\w+Ms \*= /.test(node.getText())) ||
      (isText(node) && /\bpower\(/.test(node.getText())),
    elsewhere: {
      'src/queue/delivery-pacer.ts': 'the size of a batch',
      'src/store/shopify/jsonl.ts': 'bytes in a megabyte',
      'src/sandbox/catalog/settings.ts': 'the schedule that the catalog service documents',
    },
    found: [
      'const ms = 1_000 * 2 ** attempt;',
      'const WAITS_MS: readonly number[] = [500, 2_000];',
      'Math.min(pauseMs * 1.5, LONGEST_MS)',
      'Math.min(times * 200, 2_000)',
      'sleep(step / 2 + random())',
      'delayMs *= 2',
      '`SET paused_until = now() + least(30 * power(2, pauses), 1800)`',
    ],
    passed: ['const RETRY_MS = 60_000;', 'Math.min(rows * 2, most)', 'Math.min(leftMs, 1_000)'],
  },
];

const program = sourceFiles('src').filter(({ path }) => !path.endsWith('.spec.ts'));

describe.each(MECHANISMS)('$what', ({ home, isCopy, elsewhere, found, passed }) => {
  it(`is written once, in ${home}`, () => {
    const others = program.filter(({ path }) => path !== home && !(path in elsewhere));
    expect(others.flatMap((file) => placesWhere(file, isCopy))).toEqual([]);
  });

  it(`has its home in ${home}`, () => expect(program.map(({ path }) => path)).toContain(home));

  it.each(Object.keys(elsewhere))('is looked for in %s, which uses the syntax', (path) => {
    const file = program.find((each) => each.path === path);
    expect(file === undefined ? [] : placesWhere(file, isCopy)).not.toEqual([]);
  });

  it.each(found)('is found in `%s`', (text) => expect(placesWhere(code(text), isCopy)).toHaveLength(1));

  it.each(passed)('is not found in `%s`', (text) => expect(placesWhere(code(text), isCopy)).toEqual([]));
});

function code(text: string): SourceFile {
  return { path: 'x.ts', text, imports: [] };
}

/** A string or a template, also one in which names are replaced. */
function isText(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function isCallOf(node: ts.Node, callee: RegExp, firstArgument = /^/): boolean {
  return (
    ts.isCallExpression(node) &&
    callee.test(node.expression.getText()) &&
    firstArgument.test(node.arguments[0]?.getText() ?? '')
  );
}
