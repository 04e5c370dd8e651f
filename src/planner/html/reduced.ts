import { escapeAttribute, escapeText } from './escape.js';
import { VOID_ELEMENTS, walkHtml } from './walk.js';

/**
 * HTML without the details that stores normalise: attribute quotes, entity spelling, void-tag style, comments and
 * white space between elements. Two texts with the same reduced form have the same content.
 */
export function reducedHtml(html: string): string {
  let reduced = '';
  walkHtml(html, {
    open({ name, attributes }) {
      const written = [...attributes].map(([attribute, value]) =>
        value === '' ? ` ${attribute}` : ` ${attribute}="${escapeAttribute(value.replaceAll(/\s+/g, ' '))}"`,
      );
      reduced += `<${name}${written.join('')}>`;
    },
    close(name) {
      if (!VOID_ELEMENTS.has(name)) reduced += `</${name}>`;
    },
    text(text) {
      reduced += escapeText(text);
    },
  });
  return reduced.replaceAll(/\s+/g, ' ').replaceAll('> <', '><').trim();
}
