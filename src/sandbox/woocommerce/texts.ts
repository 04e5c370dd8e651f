/** What the shop makes of texts that the API writes, and how it renders what it keeps. As a real shop was recorded to do. */

const TAGS = new Set(
  (
    'a abbr acronym address area article aside audio b bdo big blockquote br button caption cite code col colgroup dd del ' +
    'details dfn div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd label ' +
    'legend li main map mark menu nav object ol p pre q rb rp rt rtc ruby s samp section small span strike strong sub ' +
    'summary sup table tbody td textarea tfoot th thead title tr track tt u ul var video'
  ).split(' '),
);
const ATTRIBUTES = new Set(
  (
    'abbr align alt border cellpadding cellspacing cite class color colspan controls datetime dir download face headers ' +
    'height hidden href hspace id lang loading loop name nowrap open poster rel reversed role rowspan scope size span src ' +
    'srclang start style summary tabindex target title type valign value vspace width xml:lang'
  ).split(' '),
);
const ATTRIBUTE_KINDS = ['data-', 'aria-'];
const LINKS = new Set(['href', 'src', 'cite', 'poster']);
const SCHEMES = new Set([
  'http',
  'https',
  'ftp',
  'mailto',
  'news',
  'tel',
  'sms',
  'fax',
  'webcal',
  'urn',
  'feed',
]);
const STYLES =
  /^(?:color|position|top|right|bottom|left|z-index|float|clear|width|height|opacity|gap|direction|cursor|overflow|vertical-align|(?:background|border|margin|padding|font|text|list|line|letter|min|max|flex|grid|justify|align|column|box)(?:-[a-z-]+)?)$/;
const ENTITIES = new Set(
  (
    'amp lt gt quot apos nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 ' +
    'sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest times divide Agrave Aacute Acirc Atilde ' +
    'Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml ' +
    'Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ' +
    'ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml oslash ugrave uacute ucirc uuml yacute ' +
    'thorn yuml OElig oelig Scaron scaron Yuml ndash mdash lsquo rsquo sbquo ldquo rdquo bdquo dagger Dagger bull hellip ' +
    'permil prime Prime lsaquo rsaquo euro trade larr uarr rarr darr harr minus infin asymp ne le ge ensp emsp thinsp zwnj ' +
    'zwj lrm rlm'
  ).split(' '),
);

/** A description that the API sent, as it is kept: one level of backslashes goes, then unsafe HTML, without a word. */
export function keptText(sent: string): string {
  return filtered(unslashed(sent));
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
const BLOCK =
  /^<\/?(?:table|thead|tfoot|tbody|tr|td|th|div|dl|dd|dt|ul|ol|li|pre|form|blockquote|address|p|h[1-6]|hr|section|article|aside|figure|details|summary|style|script)\b/i;

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

function filtered(text: string): string {
  const cleaned = text.replaceAll(/[\0-\x08\v\f\x0e-\x1f]/g, '');
  const encoded = withLoneSigns(
    cleaned.replaceAll(/&(?!#\d{1,7};|#[xX][\dA-Fa-f]{1,6};|[A-Za-z\d]+;)/g, '&amp;'),
  );
  return splitTags(
    encoded.replaceAll(/&([A-Za-z\d]+);/g, (all, name: string) =>
      ENTITIES.has(name) ? all : `&amp;${name};`,
    ),
  );
}

/** A `<` that no `>` follows before the next one is text. One that has its `>` counts as a tag, whatever is between. */
function withLoneSigns(text: string): string {
  return text.replaceAll(/<[^<>]*(?=<|$)/g, (part) =>
    part.startsWith('<!--') ? part : `&lt;${part.slice(1)}`,
  );
}

function splitTags(text: string): string {
  let kept = '';
  for (let at = 0; at < text.length;) {
    const open = text.indexOf('<', at);
    const between = text.slice(at, open < 0 ? undefined : open);
    kept += between.replaceAll('>', '&gt;');
    if (open < 0) break;
    const isComment = text.startsWith('<!--', open);
    const closing = isComment ? '-->' : '>';
    const close = text.indexOf(closing, open);
    const end = close < 0 ? text.length : close + closing.length;
    kept += isComment ? text.slice(open, end) : keptTag(text.slice(open, end));
    at = end;
  }
  return kept;
}

function keptTag(tag: string): string {
  const parts = /^<(\/?)([A-Za-z\d-]+)(?![A-Za-z\d-])([^>]*)>?$/.exec(
    tag.replace(/^<\s+/, '<').replace(/^<\/\s+/, '</'),
  );
  if (!parts) return '';
  const [, slash = '', name = '', rest = ''] = parts;
  if (!TAGS.has(name.toLowerCase())) return '';
  if (slash !== '') return `</${name}>`;
  const attributes = [
    ...rest.matchAll(/([_A-Za-z][\w:.-]*)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>/]+))?/g),
  ].flatMap(([, attribute = '', value]) => keptAttribute(attribute, value));
  return `<${[name, ...attributes].join(' ')}${rest.trimEnd().endsWith('/') ? ' /' : ''}>`;
}

function keptAttribute(name: string, given: string | undefined): string[] {
  const lower = name.toLowerCase();
  if (!ATTRIBUTES.has(lower) && !ATTRIBUTE_KINDS.some((kind) => lower.startsWith(kind))) return [];
  if (given === undefined) return [name];
  const quote = given.startsWith("'") ? "'" : '"';
  const value = /^["']/.test(given) ? given.slice(1, -1) : given;
  const kept = lower === 'style' ? keptStyle(value) : LINKS.has(lower) ? keptLink(value) : value;
  return lower === 'style' && kept === '' ? [] : [`${name}=${quote}${kept}${quote}`];
}

function keptStyle(style: string): string {
  return style
    .split(';')
    .map((declaration) => declaration.trim())
    .filter((declaration) => STYLES.test(declaration.split(':')[0]?.trim().toLowerCase() ?? ''))
    .join(';');
}

function keptLink(address: string): string {
  const scheme = /^\s*([A-Za-z][\w+.-]*):/.exec(address);
  return scheme?.[1] === undefined || SCHEMES.has(scheme[1].toLowerCase())
    ? address
    : address.slice(scheme[0].length);
}
