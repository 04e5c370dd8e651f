/**
 * Writes docs/catalog-api-coverage.md: which rule of docs/catalog-rules.md is held by how many passing tests, of the sandbox (the contract
 * suite) and of the client (its specs). Fails when a test fails, or a rule has no test on a side that it binds.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as prettier from 'prettier';
import { RULES } from './rules.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DOCUMENT = join(ROOT, 'docs', 'catalog-api-coverage.md');
const SUITES = { service: ['test/contract/'], client: ['src/catalog/'] };

async function runSuites() {
  const directory = await mkdtemp(join(tmpdir(), 'coverage-'));
  const report = join(directory, 'report.json');
  try {
    const jest = spawnSync(
      process.execPath,
      [
        '--experimental-vm-modules',
        '--no-warnings',
        'node_modules/jest/bin/jest.js',
        '--json',
        `--outputFile=${report}`,
        ...Object.values(SUITES).flat(),
      ],
      { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    return { passed: jest.status === 0, results: JSON.parse(await readFile(report, 'utf8')).testResults };
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Rule id to the number of passing tests that name it, for each side. */
function countTests(results) {
  const counts = { service: new Map(), client: new Map() };
  for (const { name, assertionResults } of results) {
    const path = relative(ROOT, name).split(sep).join('/');
    const side = Object.keys(SUITES).find((key) => SUITES[key].some((folder) => path.startsWith(folder)));
    for (const { status, title } of assertionResults) {
      if (side === undefined || status !== 'passed') continue;
      for (const [, id] of title.matchAll(/\[([A-Z]+-\d+)\]/g))
        counts[side].set(id, (counts[side].get(id) ?? 0) + 1);
    }
  }
  return counts;
}

function binds(rule, side) {
  return rule.side === 'both' || rule.side === side;
}

function missingTests(counts) {
  return RULES.flatMap((rule) =>
    Object.keys(SUITES)
      .filter((side) => binds(rule, side) && !counts[side].has(rule.id))
      .map((side) => `${rule.id} has no passing test of the ${side}: ${rule.rule}`),
  );
}

function describe(counts) {
  const cell = (rule, side) => counts[side].get(rule.id) ?? (binds(rule, side) ? '**none**' : '');
  const sections = Map.groupBy(RULES, (rule) => rule.section);
  const held = RULES.filter((rule) =>
    Object.keys(SUITES).every((side) => !binds(rule, side) || counts[side].has(rule.id)),
  );
  return [
    '# Coverage of the catalog rules',
    '',
    `Written by \`node test/contract/coverage.mjs\`. ${held.length} of ${RULES.length} rules are held by passing tests on every side`,
    'that they bind. The numbers are passing tests that name the rule: of the sandbox service, and of the client. A rule marked',
    '"(own)" is not documented by the service: it is what the sandbox does instead.',
    ...[...sections].flatMap(([section, rules]) => [
      '',
      `## ${section}`,
      '',
      '| id | rule | service | client |',
      '| --- | --- | --- | --- |',
      ...rules.map(
        (rule) =>
          `| ${rule.id} | ${rule.rule.replaceAll('__proto__', '`__proto__`')}${rule.decided === true ? ' (own)' : ''} | ${cell(rule, 'service')} | ${cell(rule, 'client')} |`,
      ),
    ]),
    '',
  ].join('\n');
}

const { passed, results } = await runSuites();
const counts = countTests(results);
const known = new Set(RULES.map((rule) => rule.id));
const unknown = [...counts.service.keys(), ...counts.client.keys()].filter((id) => !known.has(id));
const options = await prettier.resolveConfig(DOCUMENT);
await mkdir(join(ROOT, 'docs'), { recursive: true });
await writeFile(DOCUMENT, await prettier.format(describe(counts), { ...options, parser: 'markdown' }));
const problems = [
  ...missingTests(counts),
  ...unknown.map((id) => `${id} is named by a test, but is no rule`),
  ...(passed ? [] : ['Tests failed']),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
