import { Parser } from 'htmlparser2';

export interface HtmlTag {
  /** In lower case. */
  readonly name: string;
  /** Decoded, in order, with lower-case names. The first attribute of a name counts. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Index of the `<` in the source. */
  readonly start: number;
  /** Index after the `>` in the source; that of `start` where an end tag without a start implies the element. */
  readonly end: number;
}

/** Receives the parts of a document in order. Each `open` has its `close`, properly nested. */
export interface HtmlEvents {
  open(tag: HtmlTag): void;
  /** `end` is the index after its own end tag, or after the tag of an element without content; -1 when another tag ended it. */
  close(name: string, end: number): void;
  /** All text up to the next tag, with decoded character references; the text of script and style unchanged. */
  text(text: string): void;
  /** A comment, a document type or another part that shows nothing. */
  comment?(): void;
}

/** Elements that have no content and no end tag. */
export const VOID_ELEMENTS: ReadonlySet<string> = new Set(
  'area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr'.split(
    ' ',
  ),
);

/** Real descriptions are nested less than 30 deep. The parser takes time by the depth for each tag. */
const DEEPEST = 500;
/** The depth is looked at after each part of the text. */
const PART = 8192;

/** Walks HTML once. The text after an element that is nested too deep loses its tags, so that the work stays linear. */
export function walkHtml(html: string, events: HtmlEvents): void {
  const walker = new Walker(html, events);
  for (let at = 0; at < html.length; at += PART) {
    walker.write(html.slice(at, at + PART));
    if (walker.depth <= DEEPEST) continue;
    walker.end();
    events.text(html.slice(at + PART).replaceAll(/<[^<>]*>/g, ' '));
    return;
  }
  walker.end();
}

class Walker {
  /** Names of the open elements, the innermost last. */
  private readonly open: string[] = [];
  private text = '';
  /** Of the tag that the parser reads. Its own index is too low after an end tag with blanks or attributes. */
  private start = 0;
  private readonly parser: Parser;

  constructor(
    private readonly html: string,
    private readonly events: HtmlEvents,
  ) {
    this.parser = new Parser({
      onopentagname: (name) => this.named(name),
      onopentag: (name, attributes, isImplied) => this.opened(name, attributes, isImplied),
      onclosetag: (name, isImplied) => this.closed(name, isImplied),
      ontext: (text) => {
        this.text += text;
      },
      oncomment: () => this.comment(),
      onprocessinginstruction: () => this.comment(),
    });
  }

  get depth(): number {
    return this.open.length;
  }

  write(part: string): void {
    this.parser.write(part);
  }

  end(): void {
    this.parser.end();
    this.flush();
  }

  private named(name: string): void {
    this.start = this.parser.endIndex - name.length - 1;
  }

  private opened(name: string, attributes: Readonly<Record<string, string>>, isImplied: boolean): void {
    this.flush();
    this.open.push(name);
    const start = isImplied ? this.parser.startIndex : this.start;
    const end = isImplied ? start : this.parser.endIndex + 1;
    this.events.open({ name, attributes: new Map(Object.entries(attributes)), start, end });
  }

  private closed(name: string, isImplied: boolean): void {
    // A tag that the text cuts off is closed at its end, and was never opened.
    if (this.open.at(-1) !== name) return;
    this.flush();
    this.open.pop();
    const isOwn = !isImplied || VOID_ELEMENTS.has(name);
    const sign = isOwn ? this.html.indexOf('>', this.parser.endIndex) : -1;
    this.events.close(name, sign === -1 ? -1 : sign + 1);
  }

  private comment(): void {
    this.flush();
    this.events.comment?.();
  }

  private flush(): void {
    const { text } = this;
    this.text = '';
    if (text !== '') this.events.text(text);
  }
}
