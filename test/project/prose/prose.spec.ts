import { describe, expect, it } from '@jest/globals';
import { baseline, lintRepository, newFindings, shown, staleEntries } from './lint.js';
import { findingsIn, sentencesOf } from './rules.js';
import { proseOfCode, proseOfDocument, type Prose } from './texts.js';

function comment(text: string): Prose {
  return { kind: 'comment', path: 'x.ts', line: 1, text };
}

describe('prose of the repository', () => {
  const findings = lintRepository();

  it('follows the rules outside of the baseline', () => {
    expect(newFindings(findings, baseline()).map(shown)).toEqual([]);
  });

  it('has a baseline without entries that are clean', () => {
    expect(staleEntries(findings, baseline())).toEqual([]);
  });
});

describe('the rules of prose', () => {
  it.each([
    'Told where it is waited for, which may be later than it fails.',
    'Who never came to ask has waited as long as it may.',
    'as few at first as go to the queue one by one, twice as many each time',
    'would hold a server that listens no more for as long as they may be idle',
    'the export has a line that is too long to be one',
    'No run is like that.',
    'No row speaks of a product unknown.',
    'every product came round',
    'the products that the demo brings round',
    'a product that bears the identifier',
    'rows are nudged',
    'Nudge the row.',
    'nobody was told',
    'a word too many is a typing error, not a wish',
    'mend the token',
    'how often it was unended',
    'has forsaken creations',
    'Who was told to come again need not be kept.',
    'What was written stays.',
    'Of which none is open.',
    'Planning gives way to nobody.',
    'Everything is made for real, but for the server.',
    'Jobs would wait for ever.',
    'The answer says what became of the body.',
    'The slot is read once more.',
    'The server ends a statement after so long.',
    'A gate that found fault with a text.',
    'It ends the pause: should the store refuse again, the next one is longer.',
  ])('find “%s”', (text) => {
    expect(findingsIn(comment(text))).not.toEqual([]);
  });

  it.each([
    'The rejection is handled at the `await` below. Without this line Node would report it as unhandled first.',
    'The request timed out while it was still queued for a slot.',
    'After a burst, start with 15 jobs and double the batch each time.',
    'Idle keep-alive connections would delay shutdown until they time out.',
    'No runs match this filter.',
    'What happens when the queue is empty?',
    'A round number of jobs comes first.',
    'The name becomes part of the key, so long as it is short.',
    'The request carries a bearer token.',
    'Reject extra arguments: they are usually typos.',
  ])('accept “%s”', (text) => {
    expect(findingsIn(comment(text))).toEqual([]);
  });

  it.each([
    ['GenerateWish', 1],
    ['crash_unended', 1],
    ['#told', 1],
    ['begunTo', 1],
    ['bearer', 0],
    ['toldest', 0],
  ])('find in the name %s: %d', (text, count) => {
    expect(findingsIn({ ...comment(text.replace('#', '')), kind: 'name' })).toHaveLength(count);
  });

  it.each([
    ['comment', 30],
    ['message', 20],
    ['document', 35],
  ] as const)('limit a sentence of a %s to %d words', (kind, limit) => {
    const ofLength = (words: number): Prose => ({ ...comment(`${'word '.repeat(words).trim()}.`), kind });
    expect(findingsIn(ofLength(limit))).toEqual([]);
    expect(findingsIn(ofLength(limit + 1))).toHaveLength(1);
  });

  it('end a sentence at a full stop before a capital, not within a name', () => {
    expect(sentencesOf('See config/default.yaml. It has all. e.g. this one')).toEqual([
      'See config/default.yaml.',
      'It has all. e.g. this one',
    ]);
  });
});

describe('the reader of prose', () => {
  it('takes comments and messages from code, and neither code nor SQL', () => {
    const text = [
      '/** Reads `wish` rows. */',
      "import { a } from './b.js';",
      '// First line,',
      '// second line.',
      "export const m = 'the product was not found';",
      "export const q = 'SELECT id FROM product WHERE told';",
      'export const t = `the run ${a} has no rows`;',
    ].join('\n');
    expect(proseOfCode('src/x.ts', text).map(({ kind, line, text: found }) => [kind, line, found])).toEqual([
      ['comment', 1, 'Reads `code` rows.'],
      ['comment', 3, 'First line, second line.'],
      ['name', 5, 'm'],
      ['message', 5, 'the product was not found'],
      ['name', 6, 'q'],
      ['name', 7, 't'],
      ['message', 7, 'the run … has no rows'],
    ]);
  });

  it('takes titles alone from tests', () => {
    const text =
      "describe('a thing', () => { it('has rows of its own', () => { use('the text of a fixture'); }); });";
    expect(proseOfCode('src/x.spec.ts', text).map(({ kind, text: found }) => [kind, found])).toEqual([
      ['title', 'a thing'],
      ['title', 'has rows of its own'],
    ]);
  });

  it('takes paragraphs, items and cells from Markdown, and no code', () => {
    const text = [
      '# Title',
      '',
      'One',
      'paragraph.',
      '',
      '- `wish` item',
      '',
      '```',
      'told',
      '```',
      '| a cell | b |',
    ].join('\n');
    expect(proseOfDocument('x.md', text).map(({ line, text: found }) => [line, found])).toEqual([
      [1, 'Title'],
      [3, 'One paragraph.'],
      [6, '`code` item'],
      [11, 'a cell'],
      [11, 'b'],
    ]);
  });
});
