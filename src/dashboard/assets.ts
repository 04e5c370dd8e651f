import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface Asset {
  /** Contains a hash of the content, so that browsers may cache it permanently. */
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** One asset of one or more files, read once. The build copies the files beside this module. */
function asset(extension: 'css' | 'js', type: string, files: readonly string[]): Asset {
  const bodies = files.map((name) => readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8'));
  const body = bodies.join('\n');
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12);
  return { path: `/assets/dashboard.${hash}.${extension}`, type, body };
}

/** In the order of the cascade: a later subject may refine an earlier one. */
const STYLE_FILES = ['base', 'controls', 'layout', 'parts', 'charts', 'lists', 'write-backs', 'roles'];

export const STYLES = asset(
  'css',
  'text/css; charset=utf-8',
  STYLE_FILES.map((name) => `${name}.css`),
);
export const SCRIPT = asset('js', 'text/javascript; charset=utf-8', ['dashboard.js', 'editor.js']);
export const ASSETS: readonly Asset[] = [STYLES, SCRIPT];
