import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import setUp from '../support/jest-global-setup.mjs';
import tearDown from '../support/jest-global-teardown.mjs';
import { BENCHES, runBenches } from './bench.js';
import { printTable } from './table.js';

// `npm run bench -- [--only full-runs,receipt] [--share 0.1] [--json FILE]`: each figure with its floor, taken in the same run.
// A share below 1 does so much less of everything, to try a change; its figures are not those of the goals.

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
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
} finally {
  await tearDown();
}
