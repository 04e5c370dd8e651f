import { readFileSync } from 'node:fs';

// `node .ci/release-notes.mjs v1.2.3`: the section of that release in CHANGELOG.md. Exits with 1 when there is none, so that a tag
// without notes releases nothing.

const version = (process.argv[2] ?? '').replace(/^v/, '');
const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m).slice(1);
const section = sections.find((each) => each.startsWith(`[${version}]`));
if (section === undefined) {
  process.stderr.write(`CHANGELOG.md has no section [${version}]: add it before the tag\n`);
  process.exit(1);
}
process.stdout.write(`${section.slice(section.indexOf('\n')).trim()}\n`);
