// Prints the README's table of assumptions from the one place that holds them; with --write it renews the README.
import { readFileSync, writeFileSync } from 'node:fs';
import { ASSUMPTIONS } from '../dist/catalog/assumptions.js';

const cell = (text) => text.replaceAll('|', '\\|');
const rows = ASSUMPTIONS.map(
  ({ what, default: value, setting }) =>
    `| ${cell(what)} | ${cell(value)} | ${setting.startsWith('workspaces.') ? `\`${cell(setting)}\`` : cell(setting)} |`,
);
const table = ['| not shown | default | setting |', '| --- | --- | --- |', ...rows].join('\n');

if (process.argv.includes('--write')) {
  const readme = new URL('../README.md', import.meta.url);
  const text = readFileSync(readme, 'utf8');
  const marked = /(<!-- assumptions:begin -->\n)[\s\S]*?(<!-- assumptions:end -->)/;
  writeFileSync(
    readme,
    text.replace(marked, (_whole, begin, end) => `${begin}\n${table}\n\n${end}`),
  );
} else {
  console.log(table);
}
