import type { HtmlTag } from '../planner/html/walk.js';
import { rewrittenMarkup, safeTag, type WrittenTag } from '../planner/html/safe-markup.js';
import { escapeHtml } from './html.js';
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
 * connections. Other elements are those of `safeTag`. The content security policy and the sandbox of the
 * frame keep the rest from doing anything.
 */
export function previewDocument(description: string): Preview {
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': previewPolicy(STYLE),
      'x-frame-options': 'SAMEORIGIN',
    },
    body: `${HEAD}${rewrittenMarkup(description, previewTag)}</body></html>`,
  };
}

function previewTag(tag: HtmlTag): WrittenTag | null {
  const { name, attributes } = tag;
  const attribute = MEDIA.get(name);
  if (attribute === undefined) return safeTag(tag);
  const address = attributes.get(attribute);
  // A video may have its addresses in its sources.
  if (address === undefined && name !== 'img') return null;
  const shown = (address ?? '').slice(0, LONGEST_ADDRESS);
  const label = escapeHtml(media(name, attributes.get('alt') ?? '', shown));
  return { start: `<span class="media">${label}</span>`, end: '' };
}
