/**
 * The parsing rules of HTML elements by name: which elements end by themselves, and which end others when they start.
 */

const FORM_PARTS = new Set(['input', 'option', 'optgroup', 'select', 'button', 'datalist', 'textarea']);
const PARAGRAPH = new Set(['p']);
const TABLE_SECTIONS = new Set(['thead', 'tbody']);
const DESCRIPTIONS = new Set(['dd', 'dt']);
const RUBY = new Set(['rt', 'rp']);

/** For each start tag, the innermost open elements that it ends. */
export const ENDED_BY_START: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['tr', new Set(['tr', 'th', 'td'])],
  ['th', new Set(['th'])],
  ['td', new Set(['thead', 'th', 'td'])],
  ['body', new Set(['head', 'link', 'script'])],
  ['li', new Set(['li'])],
  ['option', new Set(['option'])],
  ['optgroup', new Set(['optgroup', 'option'])],
  ['dd', DESCRIPTIONS],
  ['dt', DESCRIPTIONS],
  ['rt', RUBY],
  ['rp', RUBY],
  ['tbody', TABLE_SECTIONS],
  ['tfoot', TABLE_SECTIONS],
  ...['select', 'input', 'output', 'button', 'datalist', 'textarea'].map(
    (name) => [name, FORM_PARTS] as const,
  ),
  ...[
    'p',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'address',
    'article',
    'aside',
    'blockquote',
    'details',
    'div',
    'dl',
    'fieldset',
    'figcaption',
    'figure',
    'footer',
    'form',
    'header',
    'hr',
    'main',
    'nav',
    'ol',
    'pre',
    'section',
    'table',
    'ul',
  ].map((name) => [name, PARAGRAPH] as const),
]);

/** Elements that have no content and no end tag. */
export const VOID_ELEMENTS: ReadonlySet<string> = new Set([
  'area',
  'base',
  'basefont',
  'br',
  'col',
  'command',
  'embed',
  'frame',
  'hr',
  'img',
  'input',
  'isindex',
  'keygen',
  'link',
  'meta',
  'param',
  'source',
  'track',
  'wbr',
]);

/** Elements whose content is not HTML. Tags in them may end with `/>`. */
export const FOREIGN_ELEMENTS: ReadonlySet<string> = new Set(['math', 'svg']);

/** Elements inside foreign elements whose content is HTML again. */
export const FOREIGN_HTML_ELEMENTS: ReadonlySet<string> = new Set([
  'mi',
  'mo',
  'mn',
  'ms',
  'mtext',
  'annotation-xml',
  'foreignobject',
  'desc',
  'title',
]);

/** Elements whose content is text up to their own end tag. */
export const RAW_TEXT_ELEMENTS: ReadonlySet<string> = new Set([
  'script',
  'style',
  'title',
  'textarea',
  'xmp',
]);
