import { describe, expect, it, jest } from '@jest/globals';
import { wordDiff } from './word-diff.js';

function sides(before: string, after: string): { before: string; after: string } {
  const stretches = wordDiff(before, after);
  const of = (side: 'before' | 'after'): string =>
    stretches
      .filter((stretch) => stretch.side === 'both' || stretch.side === side)
      .map(({ text }) => text)
      .join('');
  return { before: of('before'), after: of('after') };
}

describe('wordDiff', () => {
  it('distinguishes changed words from unchanged words', () => {
    expect(wordDiff('A red bottle', 'A blue bottle')).toEqual([
      { side: 'both', text: 'A ' },
      { side: 'before', text: 'red' },
      { side: 'after', text: 'blue' },
      { side: 'both', text: ' bottle' },
    ]);
  });

  it('shows a sentence that was replaced as one change', () => {
    expect(wordDiff('Kept. An old sentence here.', 'Kept. Some new words there.')).toEqual([
      { side: 'both', text: 'Kept. ' },
      { side: 'before', text: 'An old sentence here' },
      { side: 'after', text: 'Some new words there' },
      { side: 'both', text: '.' },
    ]);
  });

  it('shows the same differences on a machine that is busy', () => {
    let nowMs = 0;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => (nowMs += 60_000));
    try {
      expect(wordDiff('A red bottle', 'A blue bottle')).toHaveLength(4);
    } finally {
      clock.mockRestore();
    }
  });

  it.each([
    ['', ''],
    ['', 'all new'],
    ['all gone', ''],
    ['same text', 'same text'],
    ['two  spaces\nand a line', 'two spaces\nand two lines'],
    ['größe: 10 €', 'Größe: 12 €'],
  ])('loses nothing of either side: %j, %j', (before, after) => {
    expect(sides(before, after)).toEqual({ before, after });
  });

  it('compares no texts beyond 200,000 characters: one word changed at the end shows as two whole texts', () => {
    const text = 'word '.repeat(30_000);
    expect(wordDiff(`${text}a`, `${text}b`)).toHaveLength(2);
  });

  it('shows long texts that have nothing in common unchanged, and soon', () => {
    const text = (word: string): string => Array.from({ length: 20_000 }, (_, i) => `${word}${i}`).join(' ');
    const startedAt = performance.now();
    expect(sides(text('a'), text('b'))).toEqual({ before: text('a'), after: text('b') });
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });
});

it.each([
  ['Greek', 'κόκκινη λάμπα', 'κίτρινη λάμπα', 'κίτρινη'],
  ['Arabic', 'إبريق كبير', 'إبريق صغير', 'صغير'],
  ['Cyrillic', 'синяя чашка', 'белая чашка', 'белая'],
])('words of the %s alphabet are compared as wholes', (_name, before, after, added) => {
  const sides = wordDiff(before, after);
  expect(sides.filter(({ side }) => side === 'after').map(({ text }) => text)).toEqual([added]);
});

it('texts of scripts without spaces are compared sign by sign', () => {
  const added = wordDiff('红色的杯子', '蓝色的杯子').filter(({ side }) => side === 'after');
  expect(added.map(({ text }) => text)).toEqual(['蓝']);
});
