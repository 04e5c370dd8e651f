import { describe, expect, it } from '@jest/globals';
import { readUntrustedJson } from '../../src/runtime/untrusted-json.js';
import { printable, quoted } from '../../src/cli/terminal.js';

const read = (text: string): unknown => readUntrustedJson(Buffer.from(text));

describe('JSON from outside', () => {
  it('loses the keys that would reach a prototype, at every depth, and nothing else', () => {
    const text = `{"a":{"__proto__":{"admin":true},"b":[{"constructor":1,"prototype":2,"c":3}]},"__proto__":null}`;
    expect(read(text)).toEqual({ ok: true, value: { a: { b: [{ c: 3 }] } } });
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
  });

  it.each([
    ['lists', (depth: number) => '['.repeat(depth) + ']'.repeat(depth)],
    ['objects', (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)],
  ])('is taken to a hundred levels of %s, and refused beyond without using up the stack', (_what, nested) => {
    expect(read(nested(99))).toMatchObject({ ok: true });
    for (const depth of [101, 1_000_000]) expect(read(nested(depth))).toEqual({ ok: false });
  });

  it('is refused when it is not UTF-8, or nothing', () => {
    expect(readUntrustedJson(Buffer.from([0x22, 0xff, 0x22]))).toEqual({ ok: false });
    expect(read('')).toEqual({ ok: false });
  });
});

describe('a text from outside, on a terminal', () => {
  it('is one bounded line without anything that a terminal obeys', () => {
    const hostile = 'mug\u001b]0;owned\u0007\r\nERROR all is lost\u009b2J\u202egnp.exe\u2028x';
    expect(printable(hostile)).toBe('mug ]0;owned ERROR all is lost 2J gnp.exe x');
    expect(quoted(hostile)).toBe('"mug ]0;owned ERROR all is lost 2J gnp.exe x"');
    expect(Array.from(printable('é'.repeat(5000)))).toHaveLength(160);
  });
});
