import { describe, expect, it } from '@jest/globals';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { editedValue, isEditable, LONGEST_EDIT } from './edited-value.js';

const title: IntendedValue = { target: 'title', value: 'Mug', type: null, from: 'name', raw: 'Mug ' };
const html: IntendedValue = { ...title, target: 'descriptionHtml', value: '<p>Mug</p>', raw: '<p>Mug</p>' };
const line: IntendedValue = { ...title, target: 'metafield:a.b', type: 'single_line_text_field', raw: null };

describe('an edited value', () => {
  it.each([
    ['a title without markup', title, ' A <b>fine</b> mug ', 'A fine mug'],
    ['a translated title', { ...title, target: 'fr:title' }, 'Tasse', 'Tasse'],
    ['a description without scripts', html, '<p>Fine</p><script>x()</script>', '<p>Fine</p>'],
    ['a single line without breaks', line, 'a\r\nb', 'a b'],
  ] as const)('is %s', (_what, value, text, expected) => {
    expect(editedValue(value, text)?.value).toBe(expected);
  });

  it('keeps what came, also over several edits', () => {
    const once = editedValue(title, 'First');
    expect(once).toMatchObject({ value: 'First', raw: null, came: { value: 'Mug', raw: 'Mug ' } });
    expect(editedValue(once ?? title, 'Second')).toMatchObject({ value: 'Second', came: { value: 'Mug' } });
  });

  it('is the result again when the text is what came', () => {
    const once = editedValue(title, 'First');
    expect(editedValue(once ?? title, 'Mug')).toEqual(title);
  });

  it.each([
    ['an empty text', title, '  '],
    ['a text of markup alone', html, '<script>x()</script>'],
    ['a text that is too long', title, 'x'.repeat(LONGEST_EDIT + 1)],
    ['a number', { ...line, type: 'number_integer' }, '5'],
    ['a value that is not written', { ...title, withheld: 'too long' }, 'Mug'],
  ] as const)('is refused for %s', (_what, value, text) => {
    expect(editedValue(value, text)).toBeNull();
  });

  it('may be a store field or a text', () => {
    expect([title, html, line].every(isEditable)).toBe(true);
  });
});
