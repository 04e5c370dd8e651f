import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { confirm } from './confirm.js';
import { costLine } from './cost-line.js';

function terminal(answer: string) {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = new PassThrough();
  // Keys that come before the question do not count.
  output.once('data', () => setImmediate(() => input.write(`${answer}\n`)));
  return { input, output };
}

describe('a question on the terminal', () => {
  it.each(['y', 'YES', ' yes '])('is confirmed by %j', async (answer) => {
    await expect(confirm('Sync?', false, 'not synced', terminal(answer))).resolves.toBeUndefined();
  });

  it.each(['', 'n', 'no'])('is refused by %j, and says what was not done', async (answer) => {
    await expect(confirm('Sync?', false, 'not synced', terminal(answer))).rejects.toMatchObject({
      code: 'invalid',
      message: 'not synced',
    });
  });

  it('is answered by --yes, and without a terminal by nothing else', async () => {
    const nobody = { input: new PassThrough(), output: new PassThrough() };
    await expect(confirm('Sync?', true, 'no', nobody)).resolves.toBeUndefined();
    await expect(confirm('Sync?', false, 'no', nobody)).rejects.toThrow('--yes');
  });
});

describe('the cost of a sync in one line', () => {
  const cost = {
    ...{ generations: 1200, waiting: 0, limitedBy: null, creditsEach: 1.25, credits: 1500 },
    creditsRemaining: 2000,
  } as const;

  it.each([
    [
      cost,
      'content would be requested for 1200 products, about 1,500 credits (1.3 each); 2,000 credits remain',
    ],
    [
      { ...cost, generations: 1, creditsEach: null, credits: null, creditsRemaining: null },
      'content would be requested for 1 product, cost not known yet',
    ],
    [
      { ...cost, generations: 0, credits: 0, waiting: 3, limitedBy: 'generation.mode' as const },
      'content would be requested for 0 products; generation.mode leaves 3 to later runs',
    ],
  ])('is complete (%#)', (given, line) => {
    expect(costLine(given)).toBe(line);
  });
});
