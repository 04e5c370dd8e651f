import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ASSUMPTIONS } from '../../src/catalog/assumptions.js';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

describe('the README', () => {
  it.each(ASSUMPTIONS.map((assumption) => [assumption.what, assumption.setting]))(
    'lists the assumption "%s" with the setting that changes it',
    (what, setting) => {
      const row = readme.split('\n').find((line) => line.startsWith('|') && line.includes(escaped(what)));
      expect(row).toBeDefined();
      expect(row).toContain(escaped(setting));
    },
  );
});

/** A bar ends a table's cell. */
function escaped(text: string): string {
  return text.replaceAll('|', '\\|');
}
