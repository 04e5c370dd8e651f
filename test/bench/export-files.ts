import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { productLines } from './products.js';

export interface ExportFile {
  readonly path: string;
  readonly products: number;
  readonly lines: number;
}

/** Products 1 to `products`; each of the first `changed` as the merchant has changed it since. */
export async function writeExportFile(path: string, products: number, changed = 0): Promise<ExportFile> {
  const out = createWriteStream(path);
  for (let id = 1; id <= products; id += 500) {
    let text = '';
    for (let each = id; each < Math.min(id + 500, products + 1); each++)
      text += `${productLines(each, each <= changed ? 1 : 0).join('\n')}\n`;
    if (!out.write(text)) await once(out, 'drain');
  }
  out.end();
  await finished(out);
  return { path, products, lines: products * productLines(1).length };
}
