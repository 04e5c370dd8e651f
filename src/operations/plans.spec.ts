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

describe('an entry of a plan', () => {
  it('names the merchant’s media that a generated description would remove', () => {
    const shown = presentEntry(entry(), replacing);
    expect(shown.mediaLost).toBe('2 images and 1 table');
    expect(planEntrySchema.parse(shown)).toEqual(shown);
    expect(presentEntry(entry(), { ...replacing, keep: ['img'] }).mediaLost).toBe('1 table');
  });

  it.each<[string, Parameters<typeof presentEntry>]>([
    ['all of it is kept', [entry(), writeBackSettings]],
    ['no content is requested', [entry({ wantsGeneration: false }), replacing]],
    ['nothing is written back', [entry(), { ...replacing, mode: 'off' }]],
    ['no description is written back', [entry(), { ...replacing, fields: { name: 'title' } }]],
    ['the product is gone from the store', [entry({ kind: 'orphan', body: null }), replacing]],
    ['the store is not configured any more', [entry(), undefined]],
  ])('names none where %s', (_why, [row, settings]) => {
    expect(presentEntry(row, settings)).not.toHaveProperty('mediaLost');
  });
});
