import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface Asset {
  /** Contains a hash of the content, so that browsers may cache it permanently. */
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** Read once. The build copies the files beside this module. */
function asset(name: string, type: string): Asset {
  const body = readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12);
  const dot = name.lastIndexOf('.');
  return { path: `/assets/${name.slice(0, dot)}.${hash}${name.slice(dot)}`, type, body };
}

export const STYLES = asset('dashboard.css', 'text/css; charset=utf-8');
export const TABLES = asset('tables.css', 'text/css; charset=utf-8');
export const SCRIPT = asset('dashboard.js', 'text/javascript; charset=utf-8');
export const ASSETS: readonly Asset[] = [STYLES, TABLES, SCRIPT];
