import { VOID_ELEMENTS } from './html/elements.js';
import { escapeText } from './html/escape.js';
import { reducedHtml } from './html/reduced.js';
import { attributesOf, walkHtml, type HtmlEvents } from './html/walk.js';

/** Elements of a merchant's description that can stay after a generated text. */
export const KEEPABLE_ELEMENTS = ['img', 'iframe', 'video', 'table'] as const;
export type KeepableElement = (typeof KEEPABLE_ELEMENTS)[number];

/**
 * The generated description followed by the merchant's own elements of the given kinds, in their order. An element
 * within another kept one stays there. Elements that are already in the generated text are not repeated. `merchant`
 * is the merchant's own text, so the same elements stay however often a text is generated. Linear in the length of
 * both.
 */
export function withKeptMedia(
  generated: string,
  merchant: string | null,
  kinds: readonly KeepableElement[],
): string {
  const kept = keptElements(generated, merchant, kinds);
  return kept.length === 0 ? generated : [generated, ...kept.map(({ html }) => html)].join('\n');
}

/** The generated text alone: a final description without the merchant's elements that `withKeptMedia` put after it. */
export function withoutKeptMedia(description: string, merchant: string | null): string {
  let text = description;
  for (const { html } of mediaIn(merchant ?? '', KEEPABLE_ELEMENTS).toReversed())
    if (text.endsWith(`\n${html}`)) text = text.slice(0, -html.length - 1);
  return text;
}

/** How many of the merchant's elements a generated description would remove, by name; empty when none would go. */
export function lostMedia(
  generated: string,
  merchant: string | null,
  kept: readonly KeepableElement[],
): ReadonlyMap<KeepableElement, number> {
  const lost = new Map<KeepableElement, number>();
  const others = KEEPABLE_ELEMENTS.filter((kind) => !kept.includes(kind));
  for (const { name } of keptElements(generated, merchant, others)) lost.set(name, (lost.get(name) ?? 0) + 1);
  return lost;
}

const NAMES: Readonly<Record<KeepableElement, readonly [string, string]>> = {
  img: ['image', 'images'],
  iframe: ['frame', 'frames'],
  video: ['video', 'videos'],
  table: ['table', 'tables'],
};

/** Such as `2 images and 1 table`; null for none. */
export function mediaInWords(counts: ReadonlyMap<KeepableElement, number>): string | null {
  const parts = KEEPABLE_ELEMENTS.flatMap((name) => {
    const count = counts.get(name) ?? 0;
    return count === 0 ? [] : `${String(count)} ${NAMES[name][count === 1 ? 0 : 1]}`;
  });
  const last = parts.pop();
  if (last === undefined) return null;
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}

/** The media that a final description lacks and the merchant's has, as a sentence; null for none. */
export function removedMedia(description: string, merchant: string | null): string | null {
  const lost = mediaInWords(lostMedia(description, merchant, []));
  return lost === null ? null : `it removes ${lost} of the merchant`;
}

interface MediaElement {
  readonly name: KeepableElement;
  readonly html: string;
  /** The same for two elements that show the same. */
  readonly key: string;
}

function keptElements(
  generated: string,
  merchant: string | null,
  kinds: readonly KeepableElement[],
): MediaElement[] {
  if (merchant === null || kinds.length === 0) return [];
  const there = new Set(mediaIn(generated, KEEPABLE_ELEMENTS).map(({ key }) => key));
  return mediaIn(merchant, kinds).filter(({ key }) => !there.has(key));
}

function mediaIn(html: string, kinds: readonly KeepableElement[]): MediaElement[] {
  const collector = new MediaCollector(new Set(kinds));
  walkHtml(html, collector);
  return collector.found;
}

/** Scripts and styles within a kept element are no media. */
const LEFT_OUT: ReadonlySet<string> = new Set(['script', 'style']);

class MediaCollector implements HtmlEvents {
  readonly found: MediaElement[] = [];
  private name: KeepableElement | null = null;
  private address: string | null = null;
  private html = '';
  private depth = 0;
  private leftOut = 0;

  constructor(private readonly kinds: ReadonlySet<string>) {}

  open(name: string, attributes: string): void {
    if (this.name === null) {
      if (!this.kinds.has(name)) return;
      this.name = name as KeepableElement;
      this.address = attributesOf(attributes).get('src') ?? null;
      this.html = '';
      this.depth = 0;
    }
    this.depth += 1;
    if (LEFT_OUT.has(name)) this.leftOut += 1;
    if (this.leftOut === 0) this.html += `<${name}${attributes}>`;
  }

  close(name: string): void {
    if (this.name === null) return;
    this.depth -= 1;
    if (this.leftOut === 0 && !VOID_ELEMENTS.has(name)) this.html += `</${name}>`;
    if (LEFT_OUT.has(name)) this.leftOut -= 1;
    if (this.depth > 0) return;
    this.found.push({ name: this.name, html: this.html, key: this.key(this.name) });
    this.name = null;
  }

  text(text: string): void {
    if (this.name !== null && this.leftOut === 0) this.html += escapeText(text);
  }

  /** One picture may be linked with and without a scheme, and by `http:`; a table is what it says. */
  private key(name: KeepableElement): string {
    if (name === 'table' || this.address === null) return `${name} ${reducedHtml(this.html)}`;
    return `${name} ${this.address.trim().replace(/^https?:/i, '')}`;
  }
}
