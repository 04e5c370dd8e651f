import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson, fingerprint } from './fingerprint.js';

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe('fingerprint', () => {
  it('does not depend on the order of keys, at any depth', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(fingerprint(reversed(value))).toBe(fingerprint(value));
      }),
    );
  });

  it('survives the way through JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(fingerprint(JSON.parse(JSON.stringify(value)))).toBe(fingerprint(value));
      }),
    );
  });

  it('distinguishes any two texts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (left, right) => {
        expect(fingerprint(left) === fingerprint(right)).toBe(left === right);
      }),
    );
  });

  it.each<[string, unknown, unknown, boolean]>([
    ['an undefined member is an absent one', { a: 1, b: undefined }, { a: 1 }, true],
    ['undefined is null', undefined, null, true],
    ['a null member is not an absent one', { a: 1, b: null }, { a: 1 }, false],
    ['the order of a list counts', [1, 2], [2, 1], false],
    ['a number is not its text', 1, '1', false],
    ['a list is not an object', [], {}, false],
    ['composed and decomposed letters are two texts', '\u00e9', 'e\u0301', false],
    ['characters beyond the first plane count', '🧴', '🧃', false],
    ['keys like numbers sort like any', { 10: 'a', 9: 'b' }, { 9: 'b', 10: 'a' }, true],
    ['a __proto__ key is a key', JSON.parse('{"__proto__": {"a": 1}, "A": 1}'), { A: 1 }, false],
  ])('%s', (_rule, left, right, same) => {
    expect(fingerprint(left) === fingerprint(right)).toBe(same);
  });

  it('stays what it was: stored fingerprints are compared with those of later releases', () => {
    expect(fingerprint('Bottle')).toBe('fb520b939b1648ae21139703baf07ae8');
    expect(fingerprint({ b: [1, { d: null, c: 'é' }], a: true })).toBe('e743b072f3026acaf46c4b6c3757c147');
  });
});

it('canonicalJson sorts keys and leaves the value as it was', () => {
  const value = { b: 1, a: { d: 2, c: 3 } };
  expect(canonicalJson(value)).toBe('{"a":{"c":3,"d":2},"b":1}');
  expect(Object.keys(value)).toEqual(['b', 'a']);
});
