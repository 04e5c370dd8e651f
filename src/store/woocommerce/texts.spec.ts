import { expect, it } from '@jest/globals';
import { protectedPart, withoutShortcodes } from './texts.js';

it.each([
  ['[products]', '&#91;products]'],
  ['a [gallery ids="[1]"] b [2]', 'a &#91;gallery ids="&#91;1]"] b &#91;2]'],
  ['[a [b]', '&#91;a &#91;b]'],
  ['[1] [ a ] [open', '[1] [ a ] [open'],
])('%s runs no shortcode as %s', (text, inert) => {
  expect(withoutShortcodes(text)).toBe(inert);
  expect(protectedPart(inert)).toBeNull();
});

it('looks for shortcodes in time that is linear in the length', () => {
  // By a pattern that goes on to the end from each bracket, this took minutes.
  expect(protectedPart('[a '.repeat(170_000))).toBeNull();
});
