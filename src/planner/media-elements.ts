import { elementsIn, htmlOf, isElement, isText, parsedHtml, reducedHtml } from './html/document.js';
import type { HtmlElement, HtmlNode } from './html/document.js';

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
  const isKept = (node: HtmlNode): boolean => kinds.some((kind) => kind === kindOf(node));
  return mediaAmong(parsedHtml(html), { html, isKept });
}

interface Search {
  readonly html: string;
  readonly isKept: (node: HtmlNode) => boolean;
}

function mediaAmong(nodes: readonly HtmlNode[], search: Search): MediaElement[] {
  return nodes.filter(isElement).flatMap((element) => {
    const kind = kindOf(element);
    if (kind !== undefined && search.isKept(element)) return [mediaElement(kind, element, search.html)];
    const found = mediaAmong(element.children, search);
    const [medium] = found;
    if (medium === undefined || found.length > 1 || !belongsTo(element, medium, search)) return found;
    return [{ ...medium, html: sourceOf(element, search.html) ?? medium.html }];
  });
}

/** A `picture` is an image with further files. */
function kindOf(node: HtmlNode): KeepableElement | undefined {
  const name = isElement(node) ? node.name : '';
  return name === 'picture' ? 'img' : KEEPABLE_ELEMENTS.find((kind) => kind === name);
}

/** Scripts and styles within a kept element are no media. */
const LEFT_OUT: ReadonlySet<string> = new Set(['script', 'style']);

/**
 * An element that belongs to the only medium within it stays around it. A figure has a caption, a link and a fallback for pages
 * without scripts mean the medium alone. A frame or video is often sized by the element around it: without that, it could cover the
 * page.
 */
function belongsTo({ name, attribs, children }: HtmlElement, medium: MediaElement, search: Search): boolean {
  const parts = partsOf(children, search);
  const isOnly = parts.filter((part) => kindOf(part) !== undefined).length === 1;
  if (!isOnly || parts.some((part) => isElement(part) && LEFT_OUT.has(part.name))) return false;
  if (name === 'figure') return true;
  if (parts.some((part) => isText(part) && part.data.trim() !== '')) return false;
  if (name === 'a' || name === 'noscript') return true;
  const isEmbed = medium.name === 'iframe' || medium.name === 'video';
  const hasLook = attribs['class'] !== undefined || attribs['style'] !== undefined;
  return isEmbed && (name === 'div' || name === 'p' || name === 'span') && hasLook;
}

/** The nodes and all within them, except what is within kept elements. */
function partsOf(nodes: readonly HtmlNode[], search: Search): HtmlNode[] {
  return nodes.flatMap((node) =>
    isElement(node) && !search.isKept(node) ? [node, ...partsOf(node.children, search)] : [node],
  );
}

/** The element to the letter; null where another tag ended it. */
function sourceOf({ startIndex, endIndex }: HtmlElement, html: string): string | null {
  return startIndex === null || endIndex === null ? null : html.slice(startIndex, endIndex);
}

function mediaElement(kind: KeepableElement, element: HtmlElement, source: string): MediaElement {
  const isWhole = !elementsIn([element]).some(({ name }) => LEFT_OUT.has(name));
  if (!isWhole) leaveOut(element);
  const html = (isWhole ? sourceOf(element, source) : null) ?? htmlOf([element]);
  // Two tables are the same when their cells have the same text: generated tables lose styles and pictures.
  const key = kind === 'table' ? said([element]).replaceAll(/\s+/g, '') : addressIn(element);
  return { name: kind, html, key: `${kind} ${key ?? reducedHtml(html)}` };
}

function leaveOut(element: HtmlElement): void {
  element.children = element.children.filter((child) => !isElement(child) || !LEFT_OUT.has(child.name));
  element.children.filter(isElement).forEach(leaveOut);
}

/** The texts of a table, cell by cell. */
function said(nodes: readonly HtmlNode[]): string {
  return nodes
    .map((node) => {
      if (isText(node)) return node.data;
      if (!isElement(node)) return '';
      return (node.name === 'td' || node.name === 'th' ? '|' : '') + said(node.children);
    })
    .join('');
}

/**
 * The address of a picture, frame or video, without its scheme: the same one may be linked with and without it. Images that load
 * late have a placeholder as their source.
 */
function addressIn(element: HtmlElement): string | undefined {
  return elementsIn([element])
    .flatMap(({ attribs }) => [attribs['src'], attribs['data-src']])
    .map((address) => address?.trim() ?? '')
    .find((address) => address !== '' && !/^data:/i.test(address))
    ?.replace(/^https?:/i, '');
}
