import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { FAULT_PROOFS } from './fault-proofs.js';

// `npm run faults`: runs every test file that a fault names, and checks each proof against the outcome.
// `--report FILE…`: against reports that there are already (jest --json --outputFile=FILE) instead of running anything.

const { values } = parseArgs({ options: { report: { type: 'string', multiple: true } } });
const files = [...new Set(Object.values(FAULT_PROOFS).flatMap((proofs) => Object.keys(proofs)))];
const reports = values.report?.map((file) => JSON.parse(readFileSync(file, 'utf8'))) ?? [runAll()];

/** Full names to statuses, by file. */
const outcomes = new Map();
for (const { testResults } of reports) {
  for (const { name, assertionResults } of testResults) {
    outcomes.set(relative(process.cwd(), name), assertionResults);
  }
}

const faults = Object.entries(FAULT_PROOFS).flatMap(([id, proofs]) =>
  Object.entries(proofs).flatMap(([file, names]) =>
    names.flatMap((name) => problems(file, name).map((problem) => `${id}: ${file}: “${name}”: ${problem}`)),
  ),
);
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
} else {
  console.log(`${Object.keys(FAULT_PROOFS).length} faults, each proved by tests that passed`);
}

function problems(file, name) {
  const found = (outcomes.get(file) ?? []).filter(({ fullName }) => fullName.includes(name));
  if (found.length === 0) return ['no such test was run'];
  return found
    .filter(({ status }) => status !== 'passed')
    .map(({ fullName, status }) => `${status}: ${fullName}`);
}

function runAll() {
  const directory = mkdtempSync(join(tmpdir(), 'store-sync-faults-'));
  const report = join(directory, 'report.json');
  try {
    const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];
    spawnSync(process.execPath, [...jest, ...files, '--json', `--outputFile=${report}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return JSON.parse(readFileSync(report, 'utf8'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
