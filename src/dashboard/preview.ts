import { previewPolicy } from './security-headers.js';

const STYLE =
  'html{color-scheme:light;background:#fff;color:#1c1c1c;font:15px/1.5 system-ui,sans-serif}body{margin:12px;overflow-wrap:anywhere}img{max-width:100%;height:auto}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:4px 8px;text-align:left}';
/** The policy names the style by its hash, so not a single character may be added between its tags. */
const HEAD = `<!doctype html><html><head><meta charset="utf-8"><title>Rendered</title><style>${STYLE}</style></head><body>`;

export interface Preview {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * A description as a visitor of the shop sees it. It is sent unchanged, including the merchant's own part. The
 * content security policy and the sandbox of the frame keep it from doing anything.
 */
export function previewDocument(description: string): Preview {
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': previewPolicy(STYLE),
      'x-frame-options': 'SAMEORIGIN',
    },
    body: `${HEAD}${description}</body></html>`,
  };
}
