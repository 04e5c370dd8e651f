// `npm run lint:prose`: words and sentences that a newcomer would not understand (CONTRIBUTING.md, “Style”). `--all` shows those
// of the baseline too; paths limit what is shown.
import { baseline, lintRepository, newFindings, shown, staleEntries } from './lint.js';

const words = process.argv.slice(2);
const paths = words.filter((word) => !word.startsWith('--'));
const findings = lintRepository();
const judged = words.includes('--all') || paths.length > 0 ? findings : newFindings(findings, baseline());
const listed = judged.filter(
  ({ path }) => paths.length === 0 || paths.some((start) => path.startsWith(start)),
);
for (const finding of listed) console.log(shown(finding));
const stale = staleEntries(findings, baseline());
for (const entry of stale) console.log(`${entry} is clean: remove it from test/project/prose/baseline.txt`);
process.exitCode = listed.length + stale.length > 0 ? 1 : 0;
