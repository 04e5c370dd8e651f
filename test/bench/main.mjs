import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import setUp from '../support/jest-global-setup.mjs';
import tearDown from '../support/jest-global-teardown.mjs';
import { BENCHES, runBenches } from './bench.js';
import { printTable } from './table.js';

// `npm run bench -- [--only full-runs,receipt] [--share 0.1] [--json FILE]`: each figure with its floor, taken in the same run.
// Prints a table, and the same as JSON: below it, or into the file. A share below 1 does so much less of everything, to try a change; its
// figures are not those of the goals.

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(BENCHES).join(',') },
    share: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});

await setUp();
try {
  const figures = await runBenches(values.only.split(','), Number(values.share), (line) =>
    console.error(line),
  );
  console.log(printTable(figures));
  const json = JSON.stringify(figures, null, 2);
  if (values.json === undefined) console.log(`\n${json}`);
  else await writeFile(values.json, `${json}\n`);
} finally {
  await tearDown();
}
