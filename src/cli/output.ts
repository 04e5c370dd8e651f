import type { Page } from '../operations/paging.js';
import { harmless } from './terminal.js';

/** A document for people and programs. JSON itself escapes no DEL and no C1 control, which a terminal takes for commands. */
export function jsonText(document: unknown): string {
  return JSON.stringify(document, null, 2).replaceAll(
    /[\u007f-\u009f]/g,
    (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`,
  );
}

/** One document on stdout and nothing else. */
export function printJson(document: unknown): void {
  process.stdout.write(`${jsonText(document)}\n`);
}

/** A page of a list as one document, or with what `printRow` prints of each row and their number. */
export function printPage<Row>(
  page: Page<Row>,
  what: string,
  { json = false }: { readonly json?: boolean },
  printRow: (row: Row) => void,
): void {
  if (json) {
    printJson(page);
    return;
  }
  page.items.forEach(printRow);
  print(`${page.items.length} of ${page.total} ${what}`);
}

export function print(line = ''): void {
  process.stdout.write(`${harmless(line)}\n`);
}
