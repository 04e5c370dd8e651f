import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';
import {
  ENDED_BY_START,
  FOREIGN_ELEMENTS,
  FOREIGN_HTML_ELEMENTS,
  RAW_TEXT_ELEMENTS,
  VOID_ELEMENTS,
} from './elements.js';

/** Receives the parts of a document in order. Each `open` has its `close`, properly nested. */
export interface HtmlEvents {
  /**
   * An element starts. The attributes are the source text after the name; `attributesOf` reads them. `start` is the index of its
   * tag.
   */
  open(name: string, attributes: string, start: number): void;
  /** `end` is the index after its own end tag, or after the tag of an element without content; -1 when another tag ended it. */
  close(name: string, end: number): void;
  /** Text with decoded character references; the text of script and style unchanged. */
  text(text: string): void;
  /** A comment, a document type or another part that shows nothing. */
  comment?(): void;
}

/**
 * Walks HTML once, with the tree rules of htmlparser2. The work is linear in the length of any text, and depth does
 * not use the stack.
 */
export function walkHtml(html: string, events: HtmlEvents): void {
  new Walker(html, events).run();
}

const GREATER = 0x3e;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const EXCLAMATION = 0x21;
const QUESTION = 0x3f;
const DASH = 0x2d;

class Walker {
  /** Names of open elements, the innermost last. */
  private readonly open: string[] = [];
  /** How often each name is open. It identifies an end tag that ends nothing without a search. */
  private readonly openCounts = new Map<string, number>();
  /** For each open foreign element, or HTML inside one, whether it accepts `/>`; the innermost is last. */
  private readonly foreign: boolean[] = [];

  constructor(
    private readonly html: string,
    private readonly events: HtmlEvents,
  ) {}

  run(): void {
    const { html } = this;
    // Start of the text that was not reported yet.
    let pending = 0;
    let at = html.indexOf('<');
    while (at !== -1) {
      const kind = html.charCodeAt(at + 1);
      let next: number;
      if (isLetter(kind)) {
        this.text(pending, at);
        next = this.startTag(at + 1);
      } else if (kind === SLASH) {
        const name = skipSpace(html, at + 2);
        const sign = html.charCodeAt(name);
        if (sign === GREATER || Number.isNaN(sign)) {
          // The tag has no name, so it is text.
          at = html.indexOf('<', at + 1);
          continue;
        }
        this.text(pending, at);
        next = isLetter(sign) ? this.endTag(name) : this.skipped(name, name);
      } else if (kind === EXCLAMATION || kind === QUESTION) {
        this.text(pending, at);
        next = kind === EXCLAMATION ? this.declaration(at) : this.skipped(at + 2, at + 2);
      } else {
        at = html.indexOf('<', at + 1);
        continue;
      }
      pending = next;
      at = html.indexOf('<', next);
    }
    this.text(pending, html.length);
    while (this.open.length > 0) this.closeInnermost();
  }

  private text(from: number, to: number): void {
    if (from >= to) return;
    const text = this.html.slice(from, to);
    this.events.text(text.includes('&') ? decodeHTML(text) : text);
  }

  /** The index after the next `>` of a part that shows nothing. Without a `>`, the rest from `shown` on is text. */
  private skipped(from: number, shown: number): number {
    const found = this.html.indexOf('>', from);
    if (found === -1) {
      if (shown < this.html.length) this.events.text(this.html.slice(shown));
      return this.html.length;
    }
    this.events.comment?.();
    return found + 1;
  }

  /** The index after a comment, a CDATA section, a document type or similar. */
  private declaration(at: number): number {
    const { html } = this;
    // `<!-->` is a complete comment: its dashes may be those of its start.
    if (html.startsWith('--', at + 2)) return this.comment('-->', at + 2);
    if (html.startsWith('[CDATA[', at + 2)) return this.comment(']]>', at + 9);
    const afterDash = html.charCodeAt(at + 2) === DASH;
    return this.skipped(afterDash ? at + 4 : at + 3, at + 2);
  }

  private comment(end: string, from: number): number {
    const found = this.html.indexOf(end, from);
    this.events.comment?.();
    return found === -1 ? this.html.length : found + end.length;
  }

  /**
   * The index after a start tag whose name starts at `from`. An unfinished tag is dropped with the rest of the text.
   */
  private startTag(from: number): number {
    const { html } = this;
    const nameEnd = endOfName(html, from);
    const { end, endsItself } = endOfTag(html, nameEnd);
    if (end === -1) return html.length;
    const name = lowerCase(html.slice(from, nameEnd));
    const ended = ENDED_BY_START.get(name);
    if (ended !== undefined) while (ended.has(this.open.at(-1) ?? '')) this.closeInnermost();
    const attributes = nameEnd === end ? '' : html.slice(nameEnd, end);
    this.events.open(name, attributes, from - 1);
    if (VOID_ELEMENTS.has(name)) {
      this.events.close(name, end + 1);
      return end + 1;
    }
    this.open.push(name);
    this.openCounts.set(name, (this.openCounts.get(name) ?? 0) + 1);
    if (FOREIGN_ELEMENTS.has(name)) this.foreign.push(true);
    else if (FOREIGN_HTML_ELEMENTS.has(name)) this.foreign.push(false);
    if (endsItself) {
      if (this.foreign.at(-1) === true) this.closeInnermost(end + 1);
      return end + 1;
    }
    return RAW_TEXT_ELEMENTS.has(name) ? this.rawText(name, end + 1) : end + 1;
  }

  /** The start of the end tag of a raw text element. */
  private rawText(name: string, from: number): number {
    const { html } = this;
    const end = endOfRawText(html, name, from);
    if (name === 'title') this.text(from, end);
    else if (from < end) this.events.text(html.slice(from, end));
    return end;
  }

  private endTag(from: number): number {
    const { html } = this;
    const nameEnd = endOfEndName(html, from);
    const end = html.indexOf('>', nameEnd);
    if (nameEnd === html.length) return html.length;
    const name = lowerCase(html.slice(from, nameEnd));
    if (FOREIGN_ELEMENTS.has(name) || FOREIGN_HTML_ELEMENTS.has(name)) this.foreign.pop();
    if ((this.openCounts.get(name) ?? 0) > 0) {
      while (this.open.at(-1) !== name) this.closeInnermost();
      this.closeInnermost(end === -1 ? -1 : end + 1);
    } else if (name === 'p') {
      this.events.open('p', '', from);
      this.events.close('p', -1);
    } else if (name === 'br') {
      this.events.open('br', '', from);
      this.events.close('br', -1);
    }
    return end === -1 ? html.length : end + 1;
  }

  private closeInnermost(end = -1): void {
    const name = this.open.pop();
    if (name === undefined) return;
    this.openCounts.set(name, (this.openCounts.get(name) ?? 1) - 1);
    this.events.close(name, end);
  }
}

/** The decoded attributes of a start tag, in order, with lower-case names. The first attribute of a name wins. */
export function attributesOf(source: string): Map<string, string> {
  const attributes = new Map<string, string>();
  let at = 0;
  while (at < source.length) {
    at = skipSpaceAndSlashes(source, at);
    if (at >= source.length) break;
    const nameEnd = endOfAttributeName(source, at);
    const name = source.slice(at, nameEnd).toLowerCase();
    const value = valueRange(source, nameEnd);
    at = value.next === -1 ? source.length : value.next;
    if (attributes.has(name)) continue;
    const text = source.slice(value.from, value.to);
    attributes.set(name, text.includes('&') ? decodeHTMLAttribute(text) : text);
  }
  return attributes;
}

interface TagEnd {
  /** Index of the `>`; -1 when there is none. */
  readonly end: number;
  /** Whether the tag ends in a slash that is not part of an attribute. */
  readonly endsItself: boolean;
}

/** The end of a start tag whose name ends at `from`. A `>` inside quotes does not count. */
function endOfTag(html: string, from: number): TagEnd {
  if (html.charCodeAt(from) === GREATER) return { end: from, endsItself: false };
  let at = from;
  while (at < html.length) {
    const gap = at;
    at = skipSpaceAndSlashes(html, at);
    if (html.charCodeAt(at) === GREATER) return { end: at, endsItself: html.slice(gap, at).includes('/') };
    if (at >= html.length) break;
    const value = valueRange(html, endOfAttributeName(html, at));
    if (value.next === -1) break;
    at = value.next;
  }
  return { end: -1, endsItself: false };
}

interface ValueRange {
  readonly from: number;
  readonly to: number;
  /** Where the tag continues; -1 when the quotes do not end. */
  readonly next: number;
}

/** The value after an attribute's name; empty when it has none. */
function valueRange(html: string, nameEnd: number): ValueRange {
  const equals = skipSpace(html, nameEnd);
  if (html.charCodeAt(equals) !== EQUALS) return { from: equals, to: equals, next: equals };
  const from = skipSpace(html, equals + 1);
  const quote = html[from];
  if (quote === '"' || quote === "'") {
    const to = html.indexOf(quote, from + 1);
    return { from: from + 1, to, next: to === -1 ? -1 : to + 1 };
  }
  let to = from;
  while (to < html.length && !isSpace(html.charCodeAt(to)) && html.charCodeAt(to) !== GREATER) to++;
  return { from, to, next: to };
}

function endOfAttributeName(html: string, from: number): number {
  // The first character always belongs to the name, even an equals sign.
  let at = from + 1;
  for (; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (code === EQUALS || code === SLASH || code === GREATER || isSpace(code)) break;
  }
  return at;
}

function endOfName(html: string, from: number): number {
  let at = from;
  for (; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (code === GREATER || code === SLASH || isSpace(code)) break;
  }
  return at;
}

function endOfEndName(html: string, from: number): number {
  let at = from;
  while (at < html.length && html.charCodeAt(at) !== GREATER && !isSpace(html.charCodeAt(at))) at++;
  return at;
}

const RAW_TEXT_ENDS: ReadonlyMap<string, RegExp> = new Map(
  [...RAW_TEXT_ELEMENTS].map((name) => [name, new RegExp(`</${name}[ \\n\\t\\f\\r>]`, 'gi')]),
);

/** The start of the end tag of a raw text element, or the end of the text. */
function endOfRawText(html: string, name: string, from: number): number {
  const pattern = RAW_TEXT_ENDS.get(name);
  if (pattern === undefined) return from;
  pattern.lastIndex = from;
  return pattern.exec(html)?.index ?? html.length;
}

function skipSpace(html: string, from: number): number {
  let at = from;
  while (isSpace(html.charCodeAt(at))) at++;
  return at;
}

function skipSpaceAndSlashes(html: string, from: number): number {
  let at = from;
  while (isSpace(html.charCodeAt(at)) || html.charCodeAt(at) === SLASH) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

const IN_LOWER_CASE = /^[a-z0-9]+$/;

/** Most names are short and already in lower case. */
function lowerCase(name: string): string {
  return IN_LOWER_CASE.test(name) ? name : name.toLowerCase();
}
