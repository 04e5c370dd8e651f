import { escapeText } from './html/escape.js';
import { reducedHtml } from './html/reduced.js';
import { VOID_ELEMENTS, walkHtml, type HtmlEvents, type HtmlTag } from './html/walk.js';

/** Elements of a merchant's description that can stay after a generated text. */
export const KEEPABLE_ELEMENTS = ['img', 'iframe', 'video', 'table'] as const;
export type KeepableElement = (typeof KEEPABLE_ELEMENTS)[number];

export interface MediaElement {
  readonly name: KeepableElement;
  /** The element as its author wrote it, with the elements around it that belong to it. */
  readonly html: string;
  /** The same for two elements that show the same. */
  readonly key: string;
}

/**
 * The elements of the given kinds in a description, in their order. An element within another one is a part of it. Linear in the
 * length.
 */
export function mediaIn(html: string, kinds: readonly KeepableElement[]): MediaElement[] {
  const collector = new MediaCollector(html, new Set(kinds));
  walkHtml(html, collector);
  return collector.found;
}

/** A `picture` is an image with further files. */
function kindOf(name: string): KeepableElement | undefined {
  return name === 'picture' ? 'img' : KEEPABLE_ELEMENTS.find((kind) => kind === name);
}

/** Scripts and styles within a kept element are no media. */
const LEFT_OUT: ReadonlySet<string> = new Set(['script', 'style']);

/** Counts of the parts found so far, outside of kept elements. */
interface Found {
  /** Kept elements. */
  readonly kept: number;
  /** Images, frames, videos and tables, those that are not kept too. */
  readonly media: number;
  readonly texts: number;
  readonly leftOut: number;
}

/** An open element, and what had been found before it. */
interface Surrounding {
  readonly tag: HtmlTag;
  readonly before: Found;
}

class MediaCollector implements HtmlEvents {
  readonly found: MediaElement[] = [];
  private kept: OpenMedia | null = null;
  private readonly surroundings: Surrounding[] = [];
  private media = 0;
  private texts = 0;
  private leftOut = 0;

  constructor(
    private readonly source: string,
    private readonly kinds: ReadonlySet<string>,
  ) {}

  open(tag: HtmlTag): void {
    const { name } = tag;
    if (this.kept === null) {
      const kind = kindOf(name);
      const before = this.sofar();
      if (kind !== undefined) this.media += 1;
      if (LEFT_OUT.has(name)) this.leftOut += 1;
      if (kind !== undefined && this.kinds.has(kind)) this.kept = new OpenMedia(kind, tag.start);
      else this.surroundings.push({ tag, before });
    }
    this.kept?.open(tag, this.source.slice(tag.start, tag.end));
  }

  close(name: string, end: number): void {
    if (this.kept === null) {
      this.closeSurrounding(end);
      return;
    }
    this.kept.close(name);
    if (!this.kept.isClosed) return;
    this.found.push(this.kept.element(this.source, end));
    this.kept = null;
  }

  text(text: string): void {
    if (this.kept !== null) this.kept.text(text);
    else if (text.trim() !== '') this.texts += 1;
  }

  /** An element that belongs to the only medium within it stays around it. */
  private closeSurrounding(end: number): void {
    const around = this.surroundings.pop();
    const medium = this.found.at(-1);
    if (around === undefined || medium === undefined || end === -1) return;
    const { before } = around;
    const { kept, media, texts, leftOut } = this.sofar();
    const isOnly = kept - before.kept === 1 && media - before.media === 1 && leftOut === before.leftOut;
    if (isOnly && belongsTo(around.tag, medium, { hasText: texts > before.texts }))
      this.found[this.found.length - 1] = { ...medium, html: this.source.slice(around.tag.start, end) };
  }

  private sofar(): Found {
    return { kept: this.found.length, media: this.media, texts: this.texts, leftOut: this.leftOut };
  }
}

/**
 * A figure has a caption, a link and a fallback for pages without scripts mean the medium alone. A frame or video is often sized by
 * the element around it: without that, it could cover the page.
 */
function belongsTo(
  { name, attributes }: HtmlTag,
  medium: MediaElement,
  { hasText }: { readonly hasText: boolean },
): boolean {
  if (name === 'figure') return true;
  if (hasText) return false;
  if (name === 'a' || name === 'noscript') return true;
  const isEmbed = medium.name === 'iframe' || medium.name === 'video';
  return isEmbed && (name === 'div' || name === 'p' || name === 'span') && hasLook(attributes);
}

function hasLook(attributes: HtmlTag['attributes']): boolean {
  return attributes.has('class') || attributes.has('style');
}

/** A kept element that has not ended yet. */
class OpenMedia {
  private address: string | null = null;
  /** The texts of its cells. */
  private said = '';
  /** The element put together from its parts, for one that does not end by itself or contains a script. */
  private rebuilt = '';
  private depth = 0;
  private leftOut = 0;
  private lacksParts = false;

  constructor(
    private readonly name: KeepableElement,
    private readonly start: number,
  ) {}

  get isClosed(): boolean {
    return this.depth === 0;
  }

  /** `source`: the tag as its author wrote it. */
  open({ name, attributes }: HtmlTag, source: string): void {
    this.depth += 1;
    this.address ??= addressIn(attributes);
    if (CELLS.has(name)) this.said += '|';
    if (LEFT_OUT.has(name)) {
      this.leftOut += 1;
      this.lacksParts = true;
    }
    if (this.leftOut === 0) this.rebuilt += source === '' ? `<${name}>` : source;
  }

  close(name: string): void {
    this.depth -= 1;
    if (this.leftOut === 0 && !VOID_ELEMENTS.has(name)) this.rebuilt += `</${name}>`;
    if (LEFT_OUT.has(name)) this.leftOut -= 1;
  }

  text(text: string): void {
    if (this.leftOut > 0) return;
    this.rebuilt += escapeText(text);
    this.said += text;
  }

  /** `end`: the index after its own end; -1 when it has none. */
  element(source: string, end: number): MediaElement {
    const html = end === -1 || this.lacksParts ? this.rebuilt : source.slice(this.start, end);
    return { name: this.name, html, key: `${this.name} ${this.key()}` };
  }

  /** A table is what its cells say, whatever it looks like and shows: generated tables lose some of that. */
  private key(): string {
    if (this.name === 'table') return this.said.replaceAll(/\s+/g, '');
    return this.address ?? reducedHtml(this.rebuilt);
  }
}

const CELLS: ReadonlySet<string> = new Set(['td', 'th']);

/**
 * The address of a picture, frame or video, without its scheme: the same one may be linked with and without it. Images that load
 * late have a placeholder as their source.
 */
function addressIn(given: HtmlTag['attributes']): string | null {
  const addresses = [given.get('src'), given.get('data-src')].map((address) => address?.trim() ?? '');
  const address = addresses.find((each) => each !== '' && !/^data:/i.test(each));
  return address?.replace(/^https?:/i, '') ?? null;
}
