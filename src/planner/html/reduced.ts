import { VOID_ELEMENTS } from './elements.js';
import { escapeAttribute, escapeText } from './escape.js';
import { attributesOf, walkHtml } from './walk.js';

/**
 * HTML without the details that stores normalise: attribute quotes, entity spelling, void-tag style, comments and
 * white space between elements. Two texts with the same reduced form have the same content.
 */
export function reducedHtml(html: string): string {
  let reduced = '';
  walkHtml(html, {
    open(name, source) {
      const attributes = [...attributesOf(source)].map(([attribute, value]) =>
        value === '' ? ` ${attribute}` : ` ${attribute}="${escapeAttribute(value.replaceAll(/\s+/g, ' '))}"`,
      );
      reduced += `<${name}${attributes.join('')}>`;
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
