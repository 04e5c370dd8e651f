import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { placesWhere, sourceFiles } from '../support/source-files.js';
import type { SourceFile } from '../support/source-files.js';

interface Area {
  /** Folders of src, or single files of one, that it may import besides itself. */
  readonly imports: readonly string[];
  /** Modules of Node and npm packages that it may use; absent: any. */
  readonly packages?: readonly string[];
}

/** Folders that every folder may import: plain types and the process's own clock, lease, shutdown and kill points. */
const FOUNDATION = ['domain', 'runtime'];
const EDGE: Area = { imports: FOUNDATION };
const STAGE: Area = {
  imports: [
    ...FOUNDATION,
    'observability',
    'connections',
    'planner',
    'store',
    'catalog',
    'persistence',
    'queue',
    'config',
  ],
};

/** Imports go one way: commands, API and pages; operations; stages; planner and connections; edges; runtime and domain. */
const AREAS: Readonly<Record<string, Area>> = {
  domain: { imports: [], packages: ['node:crypto', 'zod'] },
  runtime: { imports: ['domain'] },
  planner: {
    imports: ['domain'],
    packages: ['node:crypto', 'sanitize-html', 'htmlparser2', 'any-ascii', 'zod'],
  },
  store: EDGE,
  catalog: EDGE,
  persistence: EDGE,
  'embedded-postgres': EDGE,
  // Both pools end a silent connection in the same way.
  queue: { imports: [...FOUNDATION, 'persistence/bounded-client.ts'] },
  // The schema of the assumptions about the catalog service belongs to the catalog client.
  config: { imports: ['domain', 'runtime/linear-pattern.ts', 'catalog/assumptions.ts'] },
  observability: { imports: [...FOUNDATION, 'config'] },
  connections: {
    imports: [...FOUNDATION, 'observability', 'planner', 'store', 'catalog', 'persistence', 'config'],
  },
  // Descriptions of HTTP interfaces, and the page that shows them.
  openapi: {
    imports: [],
    packages: ['node:fs', 'node:module', 'node:path', 'node:url', 'express', 'zod'],
  },
  schedule: STAGE,
  sync: STAGE,
  webhooks: STAGE,
  'write-back': STAGE,
  notifications: STAGE,
  operations: STAGE,
  api: { imports: [...STAGE.imports, 'operations', 'openapi'] },
  dashboard: { imports: [...STAGE.imports, 'operations', 'api'] },
  // The program is tried against it, so the two share no code but the errors of a refused option.
  sandbox: { imports: ['domain/errors.ts'] },
};

/** The composition root and the commands bind everything; the sandbox belongs to the demo alone. */
const UNBOUND = /^src\/(cli\/|main\.ts$|(daemon|[a-z]+\.module)\.ts$)/;
const MAY_USE_SANDBOX = /^src\/(sandbox\/|cli\/demo)/;
const MAY_READ_ENVIRONMENT = /^src\/(config\/environment\.ts|sandbox\/main\.ts)$/;
const WITHOUT_CLOCK = /^src\/(domain|planner)\//;
const LONGEST_FILE = 400;

const all = [...sourceFiles('src'), ...sourceFiles('test')];
const program = all.filter((file) => file.path.startsWith('src/') && !file.path.endsWith('.spec.ts'));

function areaOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

function allows(area: string, rule: Area, target: string): boolean {
  if (!target.startsWith('src/'))
    return rule.packages?.some((name) => target === name || target.startsWith(`${name}/`)) ?? true;
  const inside = target.slice('src/'.length);
  return [area, ...rule.imports].some((name) => inside === name || inside.startsWith(`${name}/`));
}

/** `file → import` for each import that the file may not have. */
function offences(
  files: readonly SourceFile[],
  allowed: (file: SourceFile, target: string) => boolean,
): string[] {
  return files.flatMap((file) =>
    file.imports.filter((target) => !allowed(file, target)).map((target) => `${file.path} → ${target}`),
  );
}

describe('imports', () => {
  it.each(Object.entries(AREAS))('%s imports only what lies below it', (area, rule) => {
    const files = program.filter((file) => areaOf(file.path) === area);
    expect(offences(files, (_file, target) => allows(area, rule, target))).toEqual([]);
  });

  it('of every folder are ruled', () => {
    const unruled = program.filter(
      ({ path }) => !UNBOUND.test(path) && AREAS[areaOf(path) ?? ''] === undefined,
    );
    expect(unruled.map(({ path }) => path)).toEqual([]);
  });

  it('of the sandbox are the demo’s alone', () => {
    const files = program.filter(({ path }) => !MAY_USE_SANDBOX.test(path));
    expect(offences(files, (_file, target) => !target.startsWith('src/sandbox/'))).toEqual([]);
  });

  it('never lead from the program into tests', () => {
    expect(
      offences(program, (_file, target) => !target.startsWith('test/') && !target.endsWith('.spec.ts')),
    ).toEqual([]);
  });
});

describe('circles of imports', () => {
  it('exist between no files', () => {
    expect(circlesOf(new Map(program.map(({ path, imports }) => [path, imports])))).toEqual([]);
  });

  it('exist between no folders of src', () => {
    const folders = new Map<string, string[]>();
    for (const { path, imports } of program) {
      const from = areaOf(path);
      if (from === undefined) continue;
      const to = imports.map(areaOf).filter((area) => area !== undefined && area !== from);
      folders.set(from, [...(folders.get(from) ?? []), ...to.filter((area) => area !== undefined)]);
    }
    expect(circlesOf(folders)).toEqual([]);
  });
});

describe('the checks themselves', () => {
  it('find a circle, and name its members', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['a']],
      ['d', []],
    ]);
    expect(circlesOf(graph)).toEqual([['a', 'b', 'c']]);
  });

  it.each([
    ['store', 'src/catalog/client.ts', false],
    ['store', 'src/domain/errors.ts', true],
    ['domain', 'node:fs', false],
    ['planner', 'src/persistence/database.ts', false],
    ['sync', 'src/webhooks/interpreter.ts', false],
    ['sync', 'src/planner/source.ts', true],
    ['sandbox', 'src/catalog/client.ts', false],
    ['sandbox', 'src/catalog/schemas.ts', false],
    ['sandbox', 'src/domain/errors.ts', true],
    ['sandbox', 'src/domain/text.ts', false],
    ['sandbox', 'src/openapi/document.ts', false],
  ])('%s importing %s: %s', (area, target, allowed) => {
    expect(allows(area, AREAS[area] ?? EDGE, target)).toBe(allowed);
  });

  it.each([
    'process.env',
    "process['env'].X",
    'globalThis.process.env.X',
    "import { env } from 'node:process';",
  ])('see %s as reading the environment', (text) =>
    expect(placesWhere({ path: 'x.ts', text, imports: [] }, readsEnvironment)).not.toEqual([]),
  );

  it('distinguish a date that is given from one that is read', () => {
    const text = 'new Date(0); new Date(); Date.now(); Math.random(); // Date.now()';
    expect(placesWhere({ path: 'x.ts', text, imports: [] }, readsClockOrChance)).toHaveLength(3);
  });
});

describe('the code', () => {
  it('reads the environment nowhere but in the configuration', () => {
    const files = program.filter(({ path }) => !MAY_READ_ENVIRONMENT.test(path));
    expect(files.flatMap((file) => placesWhere(file, readsEnvironment))).toEqual([]);
  });

  it('reads no clock and rolls no dice in domain and planner', () => {
    const files = program.filter(({ path }) => WITHOUT_CLOCK.test(path));
    expect(files.flatMap((file) => placesWhere(file, readsClockOrChance))).toEqual([]);
  });

  it('hides no type behind any', () => {
    expect(
      program.flatMap((file) => placesWhere(file, (node) => node.kind === ts.SyntaxKind.AnyKeyword)),
    ).toEqual([]);
  });

  it('silences no compiler error', () => {
    const silencer = /@ts-(ignore|nocheck|expect-error)/;
    expect(all.filter((file) => silencer.test(file.text)).map((file) => file.path)).toEqual([]);
  });

  it(`keeps files under ${LONGEST_FILE} lines`, () => {
    const long = all
      .filter(({ path }) => !path.startsWith('src/persistence/migrations/'))
      .map((file) => ({ path: file.path, lines: file.text.split('\n').length }));
    expect(long.filter(({ lines }) => lines > LONGEST_FILE)).toEqual([]);
  });
});

/** The groups of nodes that reach each other (strongly connected components of two or more), sorted. */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): number => {
    const known = order.get(node);
    if (known !== undefined) return open.includes(node) ? known : Number.POSITIVE_INFINITY;
    const index = order.size;
    order.set(node, index);
    lowest.set(node, index);
    open.push(node);
    for (const next of graph.get(node) ?? [])
      if (graph.has(next)) lowest.set(node, Math.min(lowest.get(node) ?? index, visit(next)));
    const low = lowest.get(node) ?? index;
    if (low === index) {
      const group = open.splice(open.indexOf(node));
      if (group.length > 1) circles.push(group.sort());
    }
    return low;
  };
  for (const node of graph.keys()) visit(node);
  return circles;
}

function readsEnvironment(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) {
    return /['"](node:)?process['"]/.test(node.moduleSpecifier.getText()) && /\benv\b/.test(node.getText());
  }
  if (ts.isElementAccessExpression(node))
    return /^(globalThis\.)?process\[['"]env['"]\]$/.test(node.getText());
  return (
    ts.isPropertyAccessExpression(node) &&
    node.name.text === 'env' &&
    node.expression.getText().endsWith('process')
  );
}

function readsClockOrChance(node: ts.Node): boolean {
  if (ts.isNewExpression(node))
    return node.expression.getText() === 'Date' && (node.arguments?.length ?? 0) === 0;
  if (!ts.isPropertyAccessExpression(node)) return false;
  return /^(Date\.now|Math\.random|performance\.now)$/.test(node.getText());
}
