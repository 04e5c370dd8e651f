import { escapeText } from '../domain/text.js';
import { elementsIn, htmlOf, isElement, parsedHtml } from '../planner/html/document.js';
import type { HtmlElement, HtmlNode } from '../planner/html/document.js';
import { NO_PICTURES } from '../planner/html/markup-allowance.js';
import { sanitiseHtml } from '../planner/html/sanitise.js';
import { previewPolicy } from './security-headers.js';

const media = (element: string, alt: string, address: string): string => {
  const kinds: Readonly<Record<string, string>> = { img: 'Image', iframe: 'Embedded page', video: 'Video' };
  return `${kinds[element] ?? 'Media'}${alt === '' ? '' : ` “${alt}”`}: ${address === '' ? 'no address' : address}`;
};

const STYLE =
  'html{color-scheme:light;background:#fff;color:#1c1c1c;font:15px/1.5 system-ui,sans-serif}body{margin:12px;overflow-wrap:anywhere}body,p,li,td,th,h1,h2,h3,h4,h5,h6{unicode-bidi:plaintext}.media{display:inline-block;max-width:100%;box-sizing:border-box;margin:4px 0;padding:6px 10px;border:1px dashed #767676;border-radius:4px;color:#595959;font-size:13px}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:4px 8px;text-align:left}';
/** The policy names the style by its hash, so not a single character may be added between its tags. */
const HEAD = `<!doctype html><html><head><meta charset="utf-8"><title>Rendered</title><style>${STYLE}</style></head><body>`;

/** Elements that would load something, each with its attribute for the address. */
const MEDIA: ReadonlyMap<string, string> = new Map([
  ...['img', 'iframe', 'video', 'audio', 'source', 'embed'].map((name): [string, string] => [name, 'src']),
  ['object', 'data'],
]);
const LONGEST_ADDRESS = 300;

export interface Preview {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * A description as a visitor of the shop sees it, except what it would load: images and embedded pages are named by
 * their address. No other host may learn who reads a page, and a frame without scripts could still open
 * connections. Other elements are those of `sanitiseHtml`. The content security policy and the sandbox of the
 * frame keep the rest from doing anything.
 */
export function previewDocument(description: string): Preview {
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': previewPolicy(STYLE),
      'x-frame-options': 'SAMEORIGIN',
    },
    body: `${HEAD}${sanitiseHtml(withNamedMedia(description), { ...NO_PICTURES, classes: new Set(['media']) })}</body></html>`,
  };
}

/** The HTML with the name of each medium in place of it. */
function withNamedMedia(html: string): string {
  const children = parsedHtml(html);
  const found = elementsIn(children).filter(isShownByName);
  const names = parsedHtml(found.map(nameOf).join(''));
  const nameBy = new Map(found.map((element, index) => [element, names[index]]));
  const replaced = (nodes: readonly HtmlNode[]): HtmlNode[] =>
    nodes.flatMap((node) => {
      if (!isElement(node)) return [node];
      node.children = replaced(node.children);
      const name = nameBy.get(node);
      return name === undefined ? [node] : [name, ...node.children];
    });
  return htmlOf(replaced(children));
}

/** A video may have its addresses in its sources. */
function isShownByName({ name, attribs }: HtmlElement): boolean {
  const attribute = MEDIA.get(name);
  return attribute !== undefined && (name === 'img' || attribs[attribute] !== undefined);
}

function nameOf({ name, attribs }: HtmlElement): string {
  const address = (attribs[MEDIA.get(name) ?? ''] ?? '').slice(0, LONGEST_ADDRESS);
  return `<span class="media">${escapeText(media(name, attribs['alt'] ?? '', address))}</span>`;
}
