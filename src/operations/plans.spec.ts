import { describe, expect, it } from '@jest/globals';
import { writeBackSettings } from '../../test/support/product-builders.js';
import { planEntrySchema, presentEntry } from './plans.js';

const entry = (
  over: Partial<Parameters<typeof presentEntry>[0]> = {},
): Parameters<typeof presentEntry>[0] => ({
  kind: 'create',
  externalId: 'shopify:example.myshopify.com:1',
  label: 'Bottle',
  reason: 'new in the store',
  fields: ['name', 'html_description'],
  withheld: [],
  wantsGeneration: true,
  body: {
    external_id: 'shopify:example.myshopify.com:1',
    html_description: '<p>A</p><img src="a.jpg"><img src="b.jpg"><table><tr><td>1</td></tr></table>',
  },
  ...over,
});
const replacing = { ...writeBackSettings, keep: [] };
const settingsWith = (writeBack: typeof writeBackSettings) => ({ writeBack, deleted: 'keep' as const });

describe('an entry of a plan', () => {
  it('names the merchant’s media that a generated description would remove', () => {
    const shown = presentEntry(entry(), settingsWith(replacing));
    expect(shown.mediaLost).toBe('2 images and 1 table');
    expect(planEntrySchema.parse(shown)).toEqual(shown);
    expect(presentEntry(entry(), settingsWith({ ...replacing, keep: ['img'] })).mediaLost).toBe('1 table');
  });

  it.each<[string, Parameters<typeof presentEntry>]>([
    ['all of it is kept', [entry(), settingsWith(writeBackSettings)]],
    ['no content is requested', [entry({ wantsGeneration: false }), settingsWith(replacing)]],
    ['nothing is written back', [entry(), settingsWith({ ...replacing, mode: 'off' })]],
    ['no description is written back', [entry(), settingsWith({ ...replacing, fields: { name: 'title' } })]],
    ['the product is gone from the store', [entry({ kind: 'orphan', body: null }), settingsWith(replacing)]],
    ['the store is not configured any more', [entry(), undefined]],
  ])('names none where %s', (_why, [row, settings]) => {
    expect(presentEntry(row, settings)).not.toHaveProperty('mediaLost');
  });

  it.each([
    ['keep', 'no longer in the store'],
    ['report', 'no longer in the store; the catalog keeps it'],
    ['delete', 'no longer in the store; it is deleted in the catalog'],
  ] as const)(
    'whose product is gone says what happens in the catalog with deleted: %s',
    (deleted, reason) => {
      const row = entry({ kind: 'orphan', body: null, reason: 'no longer in the store' });
      expect(presentEntry(row, { writeBack: writeBackSettings, deleted }).reason).toBe(reason);
    },
  );
});
