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

describe('attributes in a further language', () => {
  const attributes = { material: 'Wool', size: 12 };
  const french = { material: 'Laine', size: 12 };
  const translated = {
    external_id: 'x',
    open_attributes: attributes,
    translations: { fr: { open_attributes: french } },
  };
  const plain = { external_id: 'x', open_attributes: attributes };

  it('are sent as a whole', () => {
    expect(localisedChanges(translated, null, ['fr', 'de'])).toEqual([['fr', { open_attributes: french }]]);
  });

  it('are those of the primary language once no translation is left', () => {
    expect(localisedChanges(plain, translated, ['fr'])).toEqual([['fr', { open_attributes: attributes }]]);
    expect(localisedChanges({ external_id: 'x' }, translated, ['fr'])).toEqual([
      ['fr', { open_attributes: {} }],
    ]);
    expect(localisedChanges(plain, plain, ['fr'])).toEqual([]);
  });
});

it('withoutTranslations keeps every field of the service', () => {
  expect(withoutTranslations(body)).toEqual({ external_id: 'x', name: 'Bottle' });
});
