import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { personAt } from './terminal-person.js';
import { STEPS } from './steps.js';

const QUESTIONS = STEPS.flatMap(({ questions }) => questions);
const named = (wanted: string) => QUESTIONS.find(({ name }) => name === wanted)!;

function terminal() {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = '';
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
  });
  return { input, person: personAt({ input, output }), shown: () => shown };
}

describe('a question of init', () => {
  it.each([
    ['what the person types', '', 'example\n', 'example'],
    ['the former answer for Enter alone', 'before', '\n', 'before'],
  ])('returns %s', async (_what, before, typed, expected) => {
    const { input, person } = terminal();
    const answer = person.ask(named('shop'), before);
    input.write(typed);
    expect(await answer).toBe(expected);
  });

  it('says that an answer is needed, instead of asking again without a word', async () => {
    const { input, person, shown } = terminal();
    const answer = person.ask(named('shop'), '');
    input.write('\n');
    await new Promise(setImmediate);
    expect(shown()).toContain('An answer is needed here');
    input.write('example\n');
    expect(await answer).toBe('example');
  });

  it('never shows a secret', async () => {
    const { input, person, shown } = terminal();
    const answer = person.ask(named('clientSecret'), '');
    input.write('hush-canary\n');
    expect(await answer).toBe('hush-canary');
    expect(shown()).not.toContain('hush-canary');
  });

  it('ends with Ctrl-C, and says that nothing was written', async () => {
    const { input, person } = terminal();
    const answer = person.ask(named('shop'), '');
    input.write('\u0003');
    await expect(answer).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('nothing was written'),
    });
  });
});
