import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { asked } from './terminal-person.js';

describe('a question of init', () => {
  it('returns what the person types', async () => {
    const input = new PassThrough();
    const answer = asked('Name', new PassThrough(), input);
    input.write('example\n');
    expect(await answer).toBe('example');
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('ends with %s, and says that nothing was written', async (_key, typed) => {
    const input = new PassThrough();
    const answer = asked('Name', new PassThrough(), input);
    input.write(typed);
    await expect(answer).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('nothing was written'),
    });
  });
});
