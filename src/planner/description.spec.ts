import { describe, expect, it } from '@jest/globals';
import { valueHash } from '../domain/written-content.js';
import { withHtmlDescription } from './description.js';

const PUSHED = { description: valueHash('Old.'), html_description: valueHash('<p>Old.</p>') };

describe('a description that the service wrote without markup', () => {
  it.each<[string, string | null, string | null, string | null]>([
    ['serves where there is no HTML', 'New.', null, '<p>New.</p>'],
    ['serves where the HTML is what store-sync sent', 'New.', '<p>Old.</p>', '<p>New.</p>'],
    ['gives way to generated HTML', 'New.', '<p>Newer.</p>', '<p>Newer.</p>'],
    ['is none where it is what store-sync sent', 'Old.', '<p>Old.</p>', '<p>Old.</p>'],
    ['is none where it is blank', ' ', null, null],
    ['keeps its paragraphs and lines', 'One\nline.\r\n\r\n\nTwo.', '', '<p>One<br>line.</p>\n<p>Two.</p>'],
    ['is text, whatever it holds', '<b>3 & 4</b>', null, '<p>&lt;b&gt;3 &amp; 4&lt;/b&gt;</p>'],
  ])('%s', (_what, description, html_description, expected) => {
    expect(withHtmlDescription({ description, html_description }, PUSHED).html_description).toBe(expected);
  });

  it.each<[string, string | null, string | null, string | null]>([
    ['serves where the language has no HTML', 'Neuf.', null, '<p>Neuf.</p>'],
    ['serves where the HTML is that of the other language', 'Neuf.', '<p>Old.</p>', '<p>Neuf.</p>'],
    ['serves where the HTML is what store-sync sent', 'Neuf.', '<p>Vieux.</p>', '<p>Neuf.</p>'],
    ['gives way to generated HTML', 'Neuf.', '<p>Plus neuf.</p>', '<p>Plus neuf.</p>'],
    ['is none where it is that of the other language', 'New.', '<p>Old.</p>', '<p>Old.</p>'],
    ['is none where it is what store-sync sent', 'Vieux.', null, null],
  ])('%s, in a further language', (_what, description, html_description, expected) => {
    const pushed = {
      ...PUSHED,
      'fr:description': valueHash('Vieux.'),
      'fr:html_description': valueHash('<p>Vieux.</p>'),
    };
    const primary = { description: 'New.', html_description: '<p>Old.</p>' };
    const translated = withHtmlDescription({ description, html_description }, pushed, {
      locale: 'fr',
      primary,
    });
    expect(translated.html_description).toBe(expected);
  });
});
