import { readFileSync } from 'node:fs';

// `node .ci/release-notes.mjs v1.2.3`: the section of that release in CHANGELOG.md. Exits with 1 when there is none, or when
// package.json has another version, so that a wrong tag releases nothing.

const tag = process.argv[2] ?? '';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
if (tag !== `v${version}`) {
  process.stderr.write(
    `the tag ${tag} does not match version ${version} in package.json: expected v${version}\n`,
  );
  process.exit(1);
}
const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m).slice(1);
const section = sections.find((each) => each.startsWith(`[${version}]`));
if (section === undefined) {
  process.stderr.write(`CHANGELOG.md has no section [${version}]: add it before the tag\n`);
  process.exit(1);
}
process.stdout.write(`${section.slice(section.indexOf('\n')).trim()}\n`);
