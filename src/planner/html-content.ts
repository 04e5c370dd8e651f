import { isUnseen } from '../domain/identifier-text.js';
import { parsedHtml, textIn } from './html/document.js';

/** True when the HTML may load a picture. */
export function hasPicture(html: string): boolean {
  return /<(?:img|video|source)\b/i.test(html);
}

/** Elements whose content is not for readers. */
const UNSEEN_ELEMENTS: ReadonlySet<string> = new Set(['script', 'style', 'textarea', 'option', 'xmp']);

/**
 * Plain text from text that may have markup, for titles and similar fields. Tags and control characters are removed,
 * and white space is folded. Escapes in text without markup are kept. Empty where nobody would see anything.
 */
export function sanitisePlainText(given: string): string {
  // An escaped bracket must not become a tag.
  const bare = given.includes('<')
    ? textIn(parsedHtml(given), UNSEEN_ELEMENTS).replaceAll(/<(?=[a-z!/?])/gi, '&lt;')
    : given;
  const text = foldWhitespace(bare);
  return isUnseen(text) ? '' : text;
}

/** A text without a space in its last characters is cut inside a word. */
const LONGEST_WORD = 40;

/** Truncates between words, or between characters where a word is very long, so that none is split. */
export function clippedText(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
  const space = text[length] === ' ' ? -1 : cut.lastIndexOf(' ');
  const whole = space > length - LONGEST_WORD ? cut.slice(0, space) : cut;
  return whole.replace(/[ ,;:–—-]{1,3}$/, '');
}

function foldWhitespace(text: string): string {
  return text
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}
