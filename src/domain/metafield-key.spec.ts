import { describe, expect, it } from '@jest/globals';
import {
  isSelected,
  keyInTarget,
  METAFIELD_NAME,
  METAFIELD_SELECTION,
  metafieldKey,
  metafieldName,
  metafieldNamesIn,
  metafieldTarget,
  nameInTarget,
} from './metafield-key.js';

const NAMES = [
  { name: 'catalog.material', namespace: 'catalog', key: 'material' },
  { name: 'app--1:reviews.count', namespace: 'app--1:reviews', key: 'count' },
  { name: 'a.b.c', namespace: 'a.b', key: 'c' },
];

describe.each(NAMES)('the metafield $name', ({ name, namespace, key }) => {
  it('is read from its name', () => expect(metafieldKey(name)).toEqual({ namespace, key }));

  it('is named by its namespace and key', () => expect(metafieldName({ namespace, key })).toBe(name));

  it('is read from its target', () =>
    expect(keyInTarget(metafieldTarget({ namespace, key }))).toEqual({ namespace, key }));
});

it('the target of a metafield begins with its kind', () => {
  expect(metafieldTarget({ namespace: 'catalog', key: 'material' })).toBe('metafield:catalog.material');
});

it.each(['title', 'seo.title', 'fr:metafield:a.b'])('%s is not the target of a metafield', (target) => {
  expect(nameInTarget(target)).toBeNull();
  expect(() => keyInTarget(target)).toThrow(`${target} is not the target of a metafield`);
});

it('lists each metafield among targets once, and no translation', () => {
  expect(metafieldNamesIn(['title', 'metafield:a.b', 'fr:metafield:a.c', 'metafield:a.b'])).toEqual(['a.b']);
});

describe('isSelected', () => {
  const material = { namespace: 'catalog', key: 'material' };

  it.each([
    ['catalog.material', true],
    ['catalog.*', true],
    ['catalog.care', false],
    ['cat.*', false],
    ['*.material', false],
  ])('catalog.material by the selection %s: %s', (selection, selected) => {
    expect(isSelected(material, [selection])).toBe(selected);
  });
});

it.each([
  ['custom.mpn', true, true],
  ['app--1:reviews.count', true, true],
  ['custom.*', false, true],
  ['custom', false, false],
  ['a.b.c', false, false],
  ['custom.', false, false],
])('a configuration may name %s: %s, and select it: %s', (name, named, selected) => {
  expect([METAFIELD_NAME.test(name), METAFIELD_SELECTION.test(name)]).toEqual([named, selected]);
});
