import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { catalogRulesPage } from '../contract/rules-page.js';
import { configurationPage } from '../support/configuration-page.js';

describe('generated pages (renew them with `npm run docs`)', () => {
  it.each([
    ['docs/catalog-rules.md', catalogRulesPage()],
    ['docs/configuration.md', configurationPage()],
  ])('%s is what the code generates', (path, page) => {
    expect(unpadded(readFileSync(path, 'utf8'))).toBe(unpadded(page));
  });
});

/** Without what the formatter changes: the padding of columns, and how it escapes. */
function unpadded(markdown: string): string {
  return markdown
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/-{3,}/g, '---')
    .replaceAll(/\\(?!\|)/g, '')
    .trim();
}
