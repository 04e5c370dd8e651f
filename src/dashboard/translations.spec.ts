import { describe, expect, it } from '@jest/globals';
import { live, translated, NO_DEFINITIONS } from '../../test/support/product-builders.js';
import type { IntendedValue, JournalField } from '../domain/write-back-journal.js';
import { compareWithLive } from '../operations/write-back-comparison.js';
import { decideFields } from '../planner/plan-write-back.js';
import { targetList, targetName } from './views/write-back-parts.js';

const intended: IntendedValue[] = [
  { target: 'fr:title', value: 'Gourde', type: null, from: 'name', raw: 'Gourde' },
  { target: 'fr:descriptionHtml', value: '<p>Acier</p>', type: null, from: 'html_description', raw: null },
];
const row = (fields: JournalField[] = []) => ({ intended, fields });

describe('translations on the dashboard', () => {
  it('are named by field and language, and metafields count as such', () => {
    expect(['title', 'fr:title', 'pt-BR:metafield:catalog.care'].map(targetName)).toEqual([
      'Title',
      'Title (fr)',
      'catalog.care (pt-BR)',
    ]);
    expect(targetList(['fr:title', 'metafield:a.b', 'fr:metafield:a.b'])).toBe('Title (fr), 2 metafields');
  });

  it('are compared with what the store holds in their language, markup as markup', () => {
    const texts = new Map([
      ['title', { value: 'La mienne' }],
      ['descriptionHtml', { value: null }],
    ]);
    const translations = new Map([['fr', { problem: null, texts, never: [] }]]);
    const product = translated(live(), translations, ['title', 'descriptionHtml']);
    const decisions = decideFields(intended, product, {
      ...{ seen: {}, sentBefore: {}, written: {}, pushedValues: {}, onConflict: 'skip', released: false },
      ...{
        newerTargets: new Set<string>(),
        isMapped: () => true,
        keep: [],
        pictureHosts: [],
        definitions: NO_DEFINITIONS,
        categories: new Map(),
      },
    });
    const { fields } = compareWithLive(row(), { decisions });
    expect(fields).toMatchObject([
      { target: 'fr:title', kind: 'text', before: 'La mienne', after: 'Gourde', verdict: 'conflict' },
      { target: 'fr:descriptionHtml', kind: 'html', before: null, after: '<p>Acier</p>', verdict: 'write' },
    ]);
  });
});
