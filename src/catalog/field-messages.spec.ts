import { describe, expect, it } from '@jest/globals';
import { readFieldMessages } from './field-messages.js';

const read = (body: unknown) => readFieldMessages(body, (text) => text);

describe('readFieldMessages', () => {
  it.each([
    ['the documented map', { sku: ['a', 'b'], name: ['c'] }, { sku: ['a', 'b'], name: ['c'] }],
    ['a bare message', { sku: 'a' }, { sku: ['a'] }],
    ['items of a nested list', { variants: [{}, { sku: ['a'] }] }, { 'variants.1.sku': ['a'] }],
    ['items named by number', { images: { 0: { source_url: ['a'] } } }, { 'images.0.source_url': ['a'] }],
    ['lists in lists', { tags: [['a'], ['b']] }, { 'tags.0': ['a'], 'tags.1': ['b'] }],
    ['a detail', { detail: 'a' }, { detail: ['a'] }],
    ['a list', ['a', 'b'], { detail: ['a', 'b'] }],
    ['a text', 'a', { detail: ['a'] }],
    ['codes and flags', { sku: [12, true, null] }, { sku: ['12', 'true'] }],
    ['nothing', null, {}],
    ['an empty map', {}, {}],
  ])('[ERROR-06] keeps %s', (_name, body, expected) => {
    expect(read(body)).toEqual(expected);
  });

  it('is bounded in every direction', () => {
    let deep: unknown = 'bottom';
    for (let n = 0; n < 5000; n += 1) deep = { a: deep };
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`f${String(n)}`, ['x']]));
    expect(read(deep)).toEqual({});
    expect(Object.keys(read(many))).toHaveLength(100);
    expect(read({ sku: Array.from({ length: 500 }, () => 'x') })['sku']).toHaveLength(20);
  });
});
