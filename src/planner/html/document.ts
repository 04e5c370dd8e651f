import { escapeText } from '../../domain/text.js';
import { DomHandler, ElementType, Parser, type parseDocument } from 'htmlparser2';

export type HtmlNode = ReturnType<typeof parseDocument>['children'][number];
export type HtmlElement = Extract<HtmlNode, { readonly attribs: unknown }>;
type HtmlText = Extract<HtmlNode, { readonly type: typeof ElementType.Text }>;

/** Real descriptions are nested less than 30 deep. The parser takes time by the depth for each tag. */
const DEEPEST = 500;
/** Elements that have no content and no end tag. */
const VOID_ELEMENTS: ReadonlySet<string> = new Set(
  'area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr'.split(
    ' ',
  ),
);

/**
 * The elements and texts of HTML, without comments. What follows an element that is nested too deep loses its tags, so that the work
 * stays linear in the length. An element's `startIndex` is that of its `<`. Its `endIndex` is that after its own end tag, or after
 * the tag of an element without content; null where another tag ended it.
 */
export function parsedHtml(html: string): HtmlNode[] {
  return nodesOf(html, { decodeEntities: true });
}

/** The same HTML with the depth of `parsedHtml`, for other parsers. */
export function shallowHtml(html: string): string {
  const isShallow = html.split('<', DEEPEST).length < DEEPEST;
  if (isShallow) return html;
  return written(nodesOf(html, { decodeEntities: false }), (text) => text);
}

function nodesOf(html: string, options: ReadOptions): HtmlNode[] {
  const builder = new DocumentBuilder(html, options);
  const { reader } = builder;
  reader.end(html);
  if (builder.isTooDeep) builder.ontext(html.slice(reader.endIndex + 1).replaceAll(/(?:<[^<>]*>)+/g, ' '));
  return builder.root.children;
}

interface ReadOptions {
  /** False: texts stay as they are written. Other parsers find no tags in them. */
  readonly decodeEntities: boolean;
}

/** Elements whose content is text for this parser, and tags for another. */
const RAW_TEXT: ReadonlySet<string> = new Set(
  'iframe noembed noframes plaintext script style textarea title xmp'.split(' '),
);

class DocumentBuilder extends DomHandler {
  readonly reader: Parser;
  isTooDeep = false;
  /** Where the tag that the parser reads begins. The parser's own index is too low after an end tag with blanks or attributes. */
  private start = 0;

  constructor(
    private readonly html: string,
    private readonly reading: ReadOptions,
  ) {
    super();
    this.reader = new Parser(this, reading);
  }

  onopentagname(name: string): void {
    this.start = this.reader.endIndex - name.length - 1;
  }

  override onopentag(name: string, attributes: Record<string, string>, isImplied?: boolean): void {
    super.onopentag(name, attributes);
    const element = this.tagStack.at(-1);
    if (element !== undefined) element.startIndex = isImplied === true ? this.reader.startIndex : this.start;
    if (this.tagStack.length <= DEEPEST) return;
    this.isTooDeep = true;
    this.reader.pause();
  }

  override onclosetag(name?: string, isImplied?: boolean): void {
    const element = this.tagStack.at(-1);
    super.onclosetag();
    const isOwn = isImplied === false || VOID_ELEMENTS.has(name ?? '');
    const sign = isOwn ? this.html.indexOf('>', this.reader.endIndex) : -1;
    if (element !== undefined && sign !== -1) element.endIndex = sign + 1;
  }

  override ontext(text: string): void {
    const element = this.tagStack.at(-1);
    if (this.reading.decodeEntities) super.ontext(text);
    else if (element === undefined || !('name' in element) || !RAW_TEXT.has(element.name))
      super.ontext(text.replaceAll('<', '&lt;'));
  }

  override oncomment(): void {
    // Comments are not part of the text.
  }

  override onprocessinginstruction(): void {
    // Neither are document types and processing instructions.
  }
}

export function isElement(node: HtmlNode): node is HtmlElement {
  return 'attribs' in node;
}

export function isText(node: HtmlNode): node is HtmlText {
  return node.type === ElementType.Text;
}

/** The elements among the nodes, and all within them, in the order of their start tags. */
export function elementsIn(nodes: readonly HtmlNode[]): HtmlElement[] {
  return nodes.flatMap((node) => (isElement(node) ? [node, ...elementsIn(node.children)] : []));
}

/** The texts among the nodes and within them, except those in elements of the given names. */
export function textIn(nodes: readonly HtmlNode[], except: ReadonlySet<string>): string {
  return nodes
    .map((node) => {
      if (isText(node)) return node.data;
      return isElement(node) && !except.has(node.name) ? textIn(node.children, except) : '';
    })
    .join('');
}

/** HTML in one spelling, which every parser reads as `parsedHtml` has read it. */
export function htmlOf(nodes: readonly HtmlNode[]): string {
  return written(nodes, escapeText);
}

function written(nodes: readonly HtmlNode[], escaped: (text: string) => string): string {
  return nodes
    .map((node) => {
      if (isText(node)) return escaped(node.data);
      if (!isElement(node)) return '';
      const attributes = Object.entries(node.attribs).map(([name, value]) =>
        value === '' ? ` ${name}` : ` ${name}="${escaped(value).replaceAll('"', '&quot;')}"`,
      );
      const start = `<${node.name}${attributes.join('')}>`;
      return VOID_ELEMENTS.has(node.name)
        ? start
        : `${start}${written(node.children, escaped)}</${node.name}>`;
    })
    .join('');
}

/**
 * HTML without the details that stores normalise: attribute quotes, entity spelling, void-tag style, comments and
 * white space between elements. Two texts with the same reduced form have the same content.
 */
export function reducedHtml(html: string): string {
  return htmlOf(parsedHtml(html)).replaceAll(/\s+/g, ' ').replaceAll('> <', '><').trim();
}
