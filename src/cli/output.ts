import type { Page } from '../operations/paging.js';

/** One document on stdout and nothing else. */
export function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
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
  process.stdout.write(`${line}\n`);
}
