import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ASSUMPTIONS } from '../../src/catalog/assumptions.js';
import { RULES } from '../contract/rules.js';
import { rulesPage } from '../contract/rules-page.js';
import { assumptionsSection } from '../support/assumptions-page.js';
import { configurationPage } from '../support/configuration-page.js';

describe('generated pages (renew them with `npm run docs`)', () => {
  it.each([
    ['docs/catalog-rules.md', `${rulesPage(RULES)}\n${assumptionsSection(ASSUMPTIONS)}`],
    ['docs/configuration.md', configurationPage()],
  ])('%s is what the code generates', (path, page) => {
    expect(unpadded(readFileSync(path, 'utf8'))).toBe(unpadded(page));
  });

  it.each(ASSUMPTIONS.map((assumption) => [assumption.what, assumption.setting]))(
    'lists the assumption "%s" with the setting that changes it',
    (what, setting) => {
      const rows = readFileSync('docs/catalog-rules.md', 'utf8').split('\n');
      const row = rows.find((line) => line.startsWith(`| ${escaped(what)} `));
      expect(row).toBeDefined();
      expect(row).toContain(escaped(setting));
    },
  );
});

/** A bar ends a cell of a table. */
function escaped(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** Without what the formatter changes: the padding of columns, and how it escapes. */
function unpadded(markdown: string): string {
  return markdown
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/-{3,}/g, '---')
    .replaceAll(/\\(?!\|)/g, '')
    .trim();
}
