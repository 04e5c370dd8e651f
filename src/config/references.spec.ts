import { describe, expect, it } from '@jest/globals';
import { expandReferences, maskReferences, unmaskReferences } from './references.js';

describe('expandReferences', () => {
  it.each([
    ['${A}', 'one'],
    ['x-${A}-${B}-y', 'x-one-two-y'],
    ['${NONE:-fallback}', 'fallback'],
    ['${NONE:-}', ''],
    ['${EMPTY:-fallback}', 'fallback'],
    ['${EMPTY}', ''],
    ['${A:-fallback}', 'one'],
    ['${NONE:-a:-b}', 'a:-b'],
    ['$${A} $A', '${A} $A'],
    ['${NESTED}', '${A}'],
    ['{product_ids}', '{product_ids}'],
  ])('%s becomes %s', (text, value) => {
    expect(expandReferences(text, { A: 'one', B: 'two', EMPTY: '', NESTED: '${A}' })).toEqual({
      ok: true,
      value,
    });
  });

  it('names every variable that is missing', () => {
    const expansion = expandReferences('${A} ${B}', {});
    expect(expansion).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/ A is not set.* B is not set/),
    });
  });

  it('refuses a variable that is given twice, since one of the two would silently lose', () => {
    expect(expandReferences('${A}', { A: 'x', A_FILE: '/x' })).toMatchObject({ ok: false });
  });
});

it('maskReferences keeps every position and can be undone', () => {
  const text = '{ a: ${A:-b, [c]: #d} } # ${E}\nx: "{product_ids}"';
  const masked = maskReferences(text);
  expect(masked).toHaveLength(text.length);
  expect(masked).not.toContain('${');
  expect(unmaskReferences(masked)).toBe(text);
});
