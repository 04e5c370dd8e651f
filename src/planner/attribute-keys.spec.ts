import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { attributeKey, keysOf } from './attribute-keys.js';

describe('a metafield key', () => {
  it.each([
    ['Material', 'material'],
    ['Size (cm)', 'size_cm'],
    ['サイズ (cm)', 'saizu_cm'],
    ['Цвет', 'tsvet'],
    ['颜色', 'yanse'],
    ['Höhe', 'hoehe'],
    ['Ho\u0308he', 'hoehe'],
    ['Straße', 'strasse'],
    ['Époque', 'epoque'],
    ['--a__b--', 'a__b'],
    ['7', '7_'],
    ['ﬁnish', 'finish'],
    ['🧴', 'squeeze_bottle'],
    ['x'.repeat(70), 'x'.repeat(64)],
    ['x', 'x_'],
    ['', ''],
    ['  ', ''],
  ])('of %j is %s', (name, key) => {
    expect(attributeKey(name)).toBe(key);
  });

  it('of signs alone is made from their hash, and differs from that of other signs', () => {
    expect(attributeKey('—')).toMatch(/^attribute_[0-9a-f]{8}$/);
    expect(attributeKey('—')).not.toBe(attributeKey('§§'));
  });

  it('is one that the store takes, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
        expect(attributeKey(name)).toMatch(name.trim() === '' ? /^$/ : /^[a-z0-9][a-z0-9_-]{1,63}$/);
      }),
    );
  });

  it('stays itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (name) => {
        const key = attributeKey(name);
        expect(attributeKey(key).slice(0, 2)).toBe(key.slice(0, 2));
        expect(attributeKey(attributeKey(key))).toBe(attributeKey(key));
      }),
    );
  });
});

describe('attributes that have the same key', () => {
  const keyed = (...attributes: (readonly [string, unknown])[]) =>
    keysOf(attributes).map(({ name, key }): [string, string] => [name, key]);

  it('are numbered, and none is dropped', () => {
    expect(keyed(['Größe', 1], ['Groesse', 2], ['groesse', 3])).toEqual([
      ['Größe', 'groesse_3'],
      ['Groesse', 'groesse_2'],
      ['groesse', 'groesse'],
    ]);
  });

  it('have the same keys in whatever order they come', () => {
    const names = ['Fit', 'FIT', 'fit!', 'fit_2', 'Länge', 'laenge'];
    const keys = (order: readonly string[]) =>
      Object.fromEntries(keyed(...order.map((name) => [name, name] as const)));
    fc.assert(
      fc.property(fc.shuffledSubarray(names, { minLength: names.length }), (order) => {
        expect(keys(order)).toEqual(keys(names));
      }),
    );
    expect(new Set(Object.values(keys(names))).size).toBe(names.length);
  });

  it('have one key when they say the same', () => {
    expect(keyed(['Fit', 'slim'], ['fit', 'slim'])).toEqual([
      ['Fit', 'fit'],
      ['fit', 'fit'],
    ]);
  });

  it('keep within the length of a key', () => {
    const long = 'a'.repeat(80);
    expect(
      keysOf([
        [long, 1],
        [`${long}b`, 2],
      ]).every(({ key }) => key.length <= 64),
    ).toBe(true);
  });
});
