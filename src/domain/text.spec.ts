import { describe, expect, it } from '@jest/globals';
import { clipped, counted, onOneLine, storableText, withoutOuter, withoutTrailing } from './text.js';

describe('a text', () => {
  it.each([
    ['https://a.example//', 'https://a.example'],
    ['https://a.example', 'https://a.example'],
    ['//', ''],
    ['', ''],
  ])('loses the sign at its end: %j', (text, expected) => {
    expect(withoutTrailing(text, '/')).toBe(expected);
  });

  it.each([
    ['_-a_b-_', 'a_b'],
    ['a', 'a'],
    ['-_-', ''],
  ])('loses signs at both ends: %j', (text, expected) => {
    expect(withoutOuter(text, '_-')).toBe(expected);
  });

  it('comes on one line, and keeps its other spaces', () => {
    expect(onOneLine('a \r\n\t b  c\n\nd')).toBe('a b  c d');
  });

  it.each([
    [0, '0 deliveries'],
    [1, '1 delivery'],
    [2, '2 deliveries'],
  ])('names %d rows by the right number', (count, expected) => {
    expect(counted(count, 'delivery', 'deliveries')).toBe(expected);
  });

  it('is cut between characters', () => {
    expect(clipped('abcdef', 6)).toBe('abcdef');
    expect(clipped('abcdef', 4)).toBe('abc…');
    expect(clipped('ab🧴cd', 4)).toBe('ab…');
  });

  it('loses what a database cannot hold, and nothing else', () => {
    expect(storableText('a\u0000b')).toBe('ab');
    expect(storableText('a\ud83e')).toBe('a\ufffd');
    expect(storableText(' a\tb\nc 🧴 ')).toBe(' a\tb\nc 🧴 ');
  });
});
