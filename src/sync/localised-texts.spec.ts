import { describe, expect, it } from '@jest/globals';
import { localisedChanges, withoutTranslations } from './localised-texts.js';

const body = { external_id: 'x', name: 'Bottle', translations: { fr: { name: 'Gourde' } } };

describe('localisedChanges', () => {
  it('names each configured language that has a text', () => {
    expect(localisedChanges(body, null, ['de', 'fr'])).toEqual([['fr', { name: 'Gourde' }]]);
  });

  it('clears a text that was sent before and that the merchant removed', () => {
    const before = {
      translations: { fr: { name: 'Gourde', description: 'Un litre.' }, de: { name: 'Flasche' } },
    };
    expect(localisedChanges(body, before, ['fr', 'de'])).toEqual([
      ['fr', { name: 'Gourde', description: '' }],
      ['de', { name: '' }],
    ]);
  });

  it('leaves a language alone that is no longer configured', () => {
    expect(localisedChanges({ external_id: 'x' }, body, [])).toEqual([]);
  });
});

it('withoutTranslations keeps every field of the service', () => {
  expect(withoutTranslations(body)).toEqual({ external_id: 'x', name: 'Bottle' });
});
