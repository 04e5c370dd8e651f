import { describe, expect, it } from '@jest/globals';
import { sparingly } from './sparing-log.js';

describe('the sparing log', () => {
  it('says the first error of each source at once, and of a storm how much was left out', () => {
    const lines: string[] = [];
    let nowMs = 0;
    const say = sparingly(
      (line) => lines.push(line),
      () => nowMs,
    );
    say('a', new Error('down'));
    say('b', new Error('down'));
    for (let index = 0; index < 7; index += 1) say('a', new Error('down'));
    expect(lines).toEqual(['a: down', 'b: down']);
    nowMs = 30_000;
    say('a', new Error('still down'));
    expect(lines.at(-1)).toBe('a: still down (7 more since the last)');
  });

  it('names the code of an error that has no message', () => {
    const lines: string[] = [];
    sparingly((line) => lines.push(line))('a', Object.assign(new Error(''), { code: 'ECONNREFUSED' }));
    expect(lines).toEqual(['a: ECONNREFUSED']);
  });
});
