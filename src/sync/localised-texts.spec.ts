import { describe, expect, it } from '@jest/globals';
import { localisedChanges, ownFields } from './localised-texts.js';

const body = { external_id: 'x', name: 'Bottle', translations: { fr: { name: 'Gourde' } } };

it('localisedChanges leaves a language alone that is no longer configured', () => {
  expect(localisedChanges({ external_id: 'x' }, body, [])).toEqual([]);
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

  it('are those of the primary language once no translation is left', () => {
    expect(localisedChanges(plain, translated, ['fr'])).toEqual([['fr', { open_attributes: attributes }]]);
    expect(localisedChanges({ external_id: 'x' }, translated, ['fr'])).toEqual([
      ['fr', { open_attributes: {} }],
    ]);
    expect(localisedChanges(plain, plain, ['fr'])).toEqual([]);
  });
});

it('ownFields keeps every field of the service', () => {
  expect(ownFields(body)).toEqual({ external_id: 'x', name: 'Bottle' });
});
