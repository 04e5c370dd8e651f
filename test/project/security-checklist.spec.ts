import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { rowsOf } from './markdown.js';

const PROOF = /^`([\w./-]+\.spec\.ts)`: (“[^”]+”(?:, “[^”]+”)*)$/;
const REASON = /^not (done|needed|tested): \S/;

const rows = rowsOf(readFileSync('docs/security.md', 'utf8')).filter(([rule]) => rule !== 'rule');

describe('the checklist of docs/security.md', () => {
  it('has for every rule its tests, or the reason why there is none', () => {
    expect(rows.length).toBeGreaterThan(40);
    const odd = rows
      .flatMap(([, proved = '']) => proved.split('<br>'))
      .filter((part) => !PROOF.test(part) && !REASON.test(part));
    expect(odd).toEqual([]);
  });

  it('names tests that there are', () => {
    const missing = rows
      .flatMap(([, proved = '']) => proved.split('<br>'))
      .flatMap((part) => {
        const [, file = '', titles = ''] = PROOF.exec(part) ?? [];
        return [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => ({ file, title }));
      })
      .filter(({ file, title }) => !existsSync(file) || !readFileSync(file, 'utf8').includes(title));
    expect(missing).toEqual([]);
  });
});
