import { describe, expect, it } from '@jest/globals';
import { readUntrustedJson } from './untrusted-json.js';

const read = (text: string) => readUntrustedJson(Buffer.from(text));

describe('JSON from outside', () => {
  it.each([
    ['spelt out', '{"a": {"__proto__": {"admin": true}, "constructor": 1, "prototype": 2, "b": 3}}'],
    ['escaped', String.raw`{"a": {"\u005f_proto__": {"admin": true}, "\u0063onstructor": 1, "b": 3}}`],
    ['within a list', '{"a": {"b": 3}, "c": [{"__proto__": {"admin": true}}]}'],
  ])('loses keys that would reach a prototype, %s', (_how, text) => {
    const answer = read(text);
    expect(answer).toMatchObject({ ok: true, value: { a: { b: 3 } } });
    expect(JSON.stringify(answer)).not.toMatch(/proto|constructor|admin/);
  });

  it('loses what no database holds, in names and texts', () => {
    const text = String.raw`{"a\u0000": ["b\u0000c\ud800", "\ud83d\ude00"], "__pro\u0000to__": {"admin": true}}`;
    expect(read(text)).toEqual({ ok: true, value: { a: ['bc\ufffd', '\u{1f600}'] } });
  });

  it('keeps what only looks like it in a value', () => {
    expect(read('{"name": "the __proto__ mug"}')).toEqual({ ok: true, value: { name: 'the __proto__ mug' } });
  });

  it.each([
    ['nothing', ''],
    ['a cut-off body', '{"a": 1'],
    ['markup', '<html></html>'],
  ])('is refused when it is %s', (_what, text) => {
    expect(read(text)).toEqual({ ok: false });
  });

  it.each([
    ['lists', (depth: number) => '['.repeat(depth) + ']'.repeat(depth)],
    ['objects', (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)],
  ])('is taken to a hundred levels of %s, and refused beyond without using up the stack', (_what, nested) => {
    expect(read(nested(99))).toMatchObject({ ok: true });
    for (const depth of [101, 1_000_000]) expect(read(nested(depth))).toEqual({ ok: false });
  });

  it('is refused with a broken sequence of UTF-8', () => {
    expect(readUntrustedJson(Buffer.from([0x22, 0xc3, 0x28, 0x22]))).toEqual({ ok: false });
  });
});
