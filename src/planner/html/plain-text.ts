import { compile, type DomNode, type FormatCallback } from 'html-to-text';
import { isUnseen } from '../../domain/identifier-text.js';
import { shallowHtml } from './document.js';

/**
 * The plain text of HTML: blocks separated by empty lines, lists with bullets and numbers, and a line for each row of a table, without
 * images and link addresses. The work is linear in the length of the HTML.
 */
export function plainTextOf(html: string): string {
  return /[<&]/.test(html) ? textOf(shallowHtml(html)).trim() : html.trim();
}

/** True when the HTML shows no text that anybody sees, and no image. */
export function isBlankHtml(html: string): boolean {
  return !/<img\b/i.test(html) && isUnseen(plainTextOf(html));
}

const textOf = compile({
  wordwrap: false,
  limits: { maxInputLength: Infinity },
  formatters: { list: formatList, rows: formatRows },
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    { selector: 'blockquote', format: 'block' },
    { selector: 'ul', format: 'list' },
    { selector: 'ol', format: 'list' },
    { selector: 'table', format: 'rows' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

/** Each level of lists indents its lines again. */
const DEEPEST_LIST = 5;

/** A list as the library formats it. The items of a deeper one are blocks. */
function formatList(...[list, walk, builder, options]: Parameters<FormatCallback>): void {
  if (listsAround(list) < DEEPEST_LIST) {
    const format = list.name === 'ol' ? 'orderedList' : 'unorderedList';
    list.attribs = numbering(list);
    builder.options.formatters[format]?.(list, walk, builder, options);
    return;
  }
  for (const item of list.children) {
    builder.openBlock({ leadingLineBreaks: 1 });
    walk([item], builder);
    builder.closeBlock({ trailingLineBreaks: 1 });
  }
}

function listsAround({ parent }: DomNode): number {
  if (parent == null) return 0;
  return (parent.name === 'ul' || parent.name === 'ol' ? 1 : 0) + listsAround(parent);
}

/** There are no Roman numbers from 4,000 on. */
const MOST_NUMBERED = 3000;

/** The attributes by which a list counts, as far as the library takes them. */
function numbering({ attribs, children }: DomNode): Record<string, string> {
  const { start, type } = attribs as Readonly<Record<string, string>>;
  return {
    ...(/^[1-9]\d{0,2}$/.test(start?.trim() ?? '') && { start }),
    ...(children.length <= MOST_NUMBERED && type !== undefined && { type }),
  };
}

/**
 * A row of short cells is one line. Cells of several lines follow one another, because such a table is there for the layout of a
 * page. Columns are not aligned: a wide cell over many rows would make the text far longer than its HTML.
 */
function formatRows(...[table, walk, builder]: Parameters<FormatCallback>): void {
  builder.openTable();
  for (const row of rowsOf(table)) {
    builder.openTableRow();
    for (const cell of row.children.filter(({ name }) => name === 'td' || name === 'th')) {
      builder.openTableCell();
      walk(cell.children, builder);
      builder.closeTableCell();
    }
    builder.closeTableRow();
  }
  builder.closeTable({
    tableToString: (rows) =>
      rows
        .map((cells) => cells.map(({ text }) => text))
        .map((texts) => texts.join(texts.some((text) => text.includes('\n')) ? '\n' : '   '))
        .join('\n'),
  });
}

const ROW_GROUPS: ReadonlySet<string | undefined> = new Set(['thead', 'tbody', 'tfoot', 'center']);

function rowsOf({ children }: DomNode): DomNode[] {
  return children.flatMap((child) => {
    if (child.name === 'tr') return [child];
    return ROW_GROUPS.has(child.name) ? rowsOf(child) : [];
  });
}
