import sanitizeHtml from 'sanitize-html';

/** What the shop makes of texts that the API writes, and how it renders what it keeps: enough of what a real shop was recorded to do. */

const { allowedTags, allowedAttributes } = sanitizeHtml.defaults;
const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: [...allowedTags, 'img', 'video', 'source', 'details', 'summary', 'del', 'ins', 'font'],
  allowedAttributes: {
    ...allowedAttributes,
    '*': [
      'align',
      'alt',
      'class',
      'dir',
      'height',
      'id',
      'lang',
      'style',
      'title',
      'width',
      'data-*',
      'aria-*',
    ],
    a: ['href', 'name', 'rel', 'target'],
    video: ['controls', 'poster', 'src'],
  },
  // The tags of scripts and styles go, and what is between them stays as text.
  nonTextTags: [],
  parseStyleAttributes: false,
  // References stay as they were sent.
  parser: { decodeEntities: false },
};

/** A description that the API sent, as it is kept: one level of backslashes goes, then unsafe HTML, without a word. */
export function keptText(sent: string): string {
  return sanitizeHtml(unslashed(sent), OPTIONS);
}

/** A name may hold HTML as well. Blanks at its ends go. */
export function keptName(sent: string): string {
  return keptText(sent).trim();
}

/** Each write of a post row takes one level of backslashes from the row's texts, also from those that nobody sent. */
export function unslashed(text: string): string {
  return text.replaceAll(/\\([\s\S]?)/g, '$1');
}

/** `view`: shortcodes run and lines become paragraphs. */
export function rendered(stored: string): string {
  return paragraphs(
    stored.replaceAll(/\[(?:products|product_page|add_to_cart)\b[^\]]*\]/g, SHORTCODE_RESULT),
  );
}

const SHORTCODE_RESULT = '<div class="woocommerce columns-4 "></div>';
const BLOCK = /^<\/?(?:table|div|dl|ul|ol|pre|blockquote|p|h[1-6]|hr|section|figure|details|style|script)\b/i;

/** Blank lines part paragraphs, other line ends become `<br />`. Blocks of HTML stay as they are. */
function paragraphs(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split(/\n\n+/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .map((piece) => (BLOCK.test(piece) ? `${piece}\n` : `<p>${piece.replaceAll('\n', '<br />\n')}</p>\n`))
    .join('');
}
