import { describe, expect, it } from '@jest/globals';
import { sourceFiles } from '../support/source-files.js';
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

const STAGES = ['schedule', 'sync', 'webhooks', 'write-back', 'notifications'];

/** Commands, API and pages reach the database through operations alone. */
const ABOVE = [...FOUNDATION, 'observability', 'connections', 'planner', 'queue', 'config', 'operations'];

/** Imports go one way: commands, API and pages; operations; stages; planner and connections; edges; runtime and domain. */
const AREAS: Readonly<Record<string, Area>> = {
  domain: { imports: [], packages: ['node:crypto', 'zod'] },
  runtime: { imports: ['domain'] },
  planner: {
    imports: ['domain'],
    packages: ['node:crypto', 'sanitize-html', 'htmlparser2', 'html-to-text', 'any-ascii', 'zod'],
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
  ...Object.fromEntries(STAGES.map((stage) => [stage, STAGE])),
  operations: { imports: [...STAGE.imports, ...STAGES] },
  api: { imports: [...ABOVE, 'openapi'] },
  dashboard: { imports: [...ABOVE, 'api'] },
  // The program is tried against it, so the two share no code but the errors of a refused option.
  sandbox: { imports: ['domain/errors.ts'] },
};

/** The composition root and the commands bind everything; the sandbox belongs to the demo alone. */
const UNBOUND = /^src\/(cli\/|main\.ts$|(daemon|roles|[a-z]+\.module)\.ts$)/;
const MAY_USE_SANDBOX = /^src\/(sandbox\/|cli\/demo)/;
const MAY_READ_ENVIRONMENT = /^src\/(config\/environment\.ts|sandbox\/main\.ts)$/;
const WITHOUT_CLOCK = /^src\/(domain|planner)\//;
const LONGEST_FILE = 400;

const all = [...sourceFiles('src'), ...sourceFiles('test')];
const program = all
  .filter(({ path }) => path.startsWith('src/') && !path.endsWith('.spec.ts'))
  .map((file) => ({ ...file, code: file.text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '') }));

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

  it('of commands reach the database through operations alone, those of `demo` and `migrate` aside', () => {
    const commands = program.filter(({ path }) => /^src\/cli\/(?!demo\/|migrate)/.test(path));
    expect(offences(commands, (_file, target) => !target.startsWith('src/persistence/'))).toEqual([]);
  });

  it('never lead from the program into tests', () => {
    expect(
      offences(program, (_file, target) => !target.startsWith('test/') && !target.endsWith('.spec.ts')),
    ).toEqual([]);
  });
});

describe('circles of imports', () => {
  it('exist between no files', () => {
    expect(inCircles(new Map(program.map(({ path, imports }) => [path, imports])))).toEqual([]);
  });

  it('exist between no folders of src', () => {
    const folders = Map.groupBy(program, ({ path }) => areaOf(path) ?? '');
    folders.delete('');
    const graph = [...folders].map(([folder, files]): [string, string[]] => {
      const to = files.flatMap(({ imports }) => imports.map((each) => areaOf(each) ?? ''));
      return [folder, to.filter((each) => each !== folder)];
    });
    expect(inCircles(new Map(graph))).toEqual([]);
  });
});

describe('the code', () => {
  it('reads the environment nowhere but in the configuration', () => {
    const files = program.filter(({ path }) => !MAY_READ_ENVIRONMENT.test(path));
    expect(
      files.filter(({ code }) => /\bprocess(\.|\[['"])env\b|\benv\b.* from '(node:)?process'/.test(code)),
    ).toEqual([]);
  });

  it('reads no clock and rolls no dice in domain and planner', () => {
    const files = program.filter(({ path }) => WITHOUT_CLOCK.test(path));
    const clockOrChance = /\bnew Date\(\)|\b(Date\.now|Math\.random|performance\.now)\b/;
    expect(files.filter(({ code }) => clockOrChance.test(code))).toEqual([]);
  });

  it('names a kind of store only where that kind is known', () => {
    const known = [
      /^src\/(store|sandbox|config)\//,
      /^src\/cli\/(init|demo)(\/|\.command)/,
      // Addresses of platforms in generated texts: a fact about the web, whatever the store is.
      /^src\/planner\/html\/address\.ts$/,
    ];
    const own = sourceFiles('src').filter(({ path }) => !path.endsWith('.spec.ts'));
    const elsewhere = own.filter(({ path }) => !known.some((each) => each.test(path)));
    expect(elsewhere.filter(({ text }) => /shopify|woocommerce/i.test(text)).map(({ path }) => path)).toEqual(
      [],
    );
    const shared = own.filter(({ path, text }) => /^src\/store\/[^/]+$/.test(path) && /shopify/i.test(text));
    // The lists of the kinds, and the app that merchants of one kind install.
    expect(shared.map(({ path }) => path).sort()).toEqual([
      ...[
        'src/store/connector-parts.ts',
        'src/store/events.ts',
        'src/store/index.ts',
        'src/store/installs.ts',
      ],
    ]);
  });

  it(`keeps files under ${LONGEST_FILE} lines`, () => {
    const long = all
      .filter(({ path }) => !path.startsWith('src/persistence/migrations/'))
      .map((file) => ({ path: file.path, lines: file.text.split('\n').length }));
    expect(long.filter(({ lines }) => lines > LONGEST_FILE)).toEqual([]);
  });
});

/** The nodes that lead to a circle: what is left when a node without a way on is taken away, again and again. */
function inCircles(graph: Map<string, readonly string[]>): string[] {
  for (;;) {
    const ends = [...graph].filter(([, next]) => !next.some((node) => graph.has(node)));
    if (ends.length === 0) return [...graph.keys()];
    for (const [node] of ends) graph.delete(node);
  }
}
