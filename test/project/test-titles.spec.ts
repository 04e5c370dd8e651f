import { describe, expect, it } from '@jest/globals';
import { testTitles, titlesIn, type TestTitle } from '../support/test-titles.js';

/** With the titles of its groups before it, a title has at least so many words. A value of a table counts as one. */
const FEWEST_WORDS = 4;
/** A table supplies further words, which only its rows show. */
const FEWEST_WORDS_OF_A_TABLE = 2;

const FRAGMENT = /^(?:and|but|or|nor|so|then|also|which)\b/i;
const POINTER = /^(?:it|they|them|these|those|this)\b/i;
const QUESTION_AS_NOUN = /^(?:what|whatever|who|whoever|whose|how|of)\b/i;

const PROBLEMS: Readonly<Record<string, (title: TestTitle) => boolean>> = {
  'has too few words to be read alone': ({ chain }) => {
    const text = chain.join(' ');
    const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}%$…]/u.test(word));
    return words.length < (/%[sdijpof]|\$\w|…/.test(text) ? FEWEST_WORDS_OF_A_TABLE : FEWEST_WORDS);
  },
  'begins with a conjunction': ({ chain }) => chain.some((title) => FRAGMENT.test(title)),
  'begins with a pronoun': ({ chain }) => chain.some((title) => POINTER.test(title)),
  'has a question word as its subject': ({ chain }) => QUESTION_AS_NOUN.test(chain[0] ?? ''),
};

/** `path:line: problem: title` for each title that cannot be read alone. */
function offences(titles: readonly TestTitle[]): string[] {
  return titles.flatMap((title) =>
    Object.entries(PROBLEMS)
      .filter(([, has]) => has(title))
      .map(([problem]) => `${title.path}:${String(title.line)}: ${problem}: ${title.chain.join(' › ')}`),
  );
}

function repeated(titles: readonly TestTitle[]): string[] {
  const groups = Map.groupBy(titles, ({ path, chain }) => `${path}: ${chain.join(' › ')}`);
  return [...groups].filter(([, same]) => same.length > 1).map(([title]) => title);
}

const titles = testTitles();

describe('the title of a test', () => {
  it('can be read alone, with the titles of its groups before it', () => {
    expect(titles.length).toBeGreaterThan(2_000);
    expect(offences(titles)).toEqual([]);
  });

  it('occurs once in its file', () => {
    expect(repeated(titles)).toEqual([]);
  });
});

describe('the check of test titles', () => {
  const IN_GROUPS = `
    describe('a write-back', () => {
      it('keeps the edit of the merchant', () => undefined);
      it.each([1])(\`repeats \${'a'} times\`, () => undefined);
    });
    describeOnRedis('the queues', () => {
      it('survive a restart', () => undefined);
    });`;

  it('reads the titles of groups, tables and conditional groups', () => {
    expect(titlesIn({ path: 'x.spec.ts', text: IN_GROUPS, imports: [] }).map(({ chain }) => chain)).toEqual([
      ['a write-back', 'keeps the edit of the merchant'],
      ['a write-back', 'repeats … times'],
      ['the queues', 'survive a restart'],
    ]);
  });

  it.each([
    [['a run', 'ends'], 'has too few words to be read alone'],
    [['an attempt that was cut off', 'and had written is not repeated'], 'begins with a conjunction'],
    [['it is written once'], 'begins with a pronoun'],
    [['what a result brought', 'is listed'], 'has a question word as its subject'],
  ])('finds %j: it %s', (chain, problem) => {
    expect(offences([{ path: 'x', line: 1, chain }])).toEqual([`x:1: ${problem}: ${chain.join(' › ')}`]);
  });

  it.each([
    [['parseRetryAfterMs', 'reads %s']],
    [['an update', 'that the service refuses keeps its messages']],
    [['where the service ignores locales', 'an update of a product that is gone makes none']],
  ])('accepts %j', (chain) => {
    expect(offences([{ path: 'x', line: 1, chain }])).toEqual([]);
  });
});
