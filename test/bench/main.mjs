import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import setUp from '../support/jest-global-setup.mjs';
import tearDown from '../support/jest-global-teardown.mjs';
import { BENCHES } from './bench.js';
import { printGaps, runBenches } from './run-benches.js';
import { printTable } from './table.js';

// `npm run bench -- [--only full-runs,receipt] [--share 0.1] [--json FILE]`: measures each figure together with its floor. Prints a
// table and the same as JSON, below it or into the file. A bench that cannot run here is skipped; one that fails loses no other figure,
// and makes the exit status 1. A share below 1 does less of everything, to try a change: its figures are not those of the goals.

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(BENCHES).join(',') },
    share: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});

await setUp();
try {
  const report = await runBenches(BENCHES, values.only.split(','), {
    share: Number(values.share),
    log: (line) => console.error(line),
  });
  console.log([printTable(report.figures), ...printGaps(report)].join('\n'));
  const json = JSON.stringify(report, null, 2);
  if (values.json === undefined) console.log(`\n${json}`);
  else await writeFile(values.json, `${json}\n`);
  if (report.failed.length > 0) process.exitCode = 1;
} finally {
  await tearDown();
}
