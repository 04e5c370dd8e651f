/**
 * Runs the contract suite and the specs of the client, and fails when a test fails, or a rule of docs/catalog-rules.md has no passing test
 * on a side that it binds.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RULES } from './rules.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
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

const { passed, results } = await runSuites();
const counts = countTests(results);
const known = new Set(RULES.map((rule) => rule.id));
const unknown = [...counts.service.keys(), ...counts.client.keys()].filter((id) => !known.has(id));
const problems = [
  ...missingTests(counts),
  ...unknown.map((id) => `${id} is named by a test, but is no rule`),
  ...(passed ? [] : ['Tests failed']),
];
for (const problem of problems) console.error(problem);
console.log(`${RULES.length} rules, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
