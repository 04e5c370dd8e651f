import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { compile } from 'html-to-text';
import { HTML_PIECES } from '../../../test/support/html-samples.js';
import { htmlToText } from './plain-text.js';

/** The library that made the texts in today's catalogs. An update must not change any of them. */
const formerText = compile({
  wordwrap: false,
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
  ],
});

/** The descriptions of real exports. */
function realDescriptions(): string[] {
  const folder = 'test/fixtures/csv';
  return readdirSync(folder).flatMap((file) => {
    const rows: unknown = parse(readFileSync(`${folder}/${file}`), { columns: true });
    return (rows as Record<string, string>[]).flatMap(
      (row) => row['Body (HTML)'] ?? row['Description'] ?? [],
    );
  });
}

describe('htmlToText', () => {
  it('says of real descriptions what was always said', () => {
    const descriptions = realDescriptions().filter((html) => html !== '');
    expect(descriptions.length).toBeGreaterThan(10);
    for (const html of descriptions) expect(htmlToText(html)).toBe(formerText(html));
  });

  it('says of any mixture of elements what was always said', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...HTML_PIECES), { maxLength: 40 }), (pieces) => {
        // html-to-text handles only one case wrongly: a tag that is cut off at the end.
        const html = `${pieces.join('')}<br>end`;
        expect(htmlToText(html)).toBe(formerText(html));
      }),
      { numRuns: Number(process.env['RUNS'] ?? 2000) },
    );
  });
});
