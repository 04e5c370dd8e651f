import { hasWords, InlineText } from './inline-text.js';
import { numberAttribute, outlineOf, type OutlineElement, type OutlineNode } from './outline.js';
import { listNumber } from './list-number.js';
import { tableText, type TableCell } from './table-text.js';
import { WorkBudget } from './work-budget.js';

/**
 * The plain text of HTML: blocks separated by empty lines, lists with bullets and numbers, tables in columns, without
 * images and link addresses. The work is linear in the length of the HTML. Where columns and indents would cost more,
 * cells and lines are not aligned.
 */
export function htmlToText(html: string): string {
  const document = new Block(null, 1, Infinity);
  new Renderer(new WorkBudget(html.length)).add(outlineOf(html), document);
  return document.toString();
}

/** The maximum width of a table column. Words are never split. */
const CELL_WIDTH = 60;
const NARROWEST = 20;
const RULE = '-'.repeat(40);

/** The text of a block element: complete blocks, and the current lines. */
class Block {
  private finished = '';
  private readonly inline: InlineText;
  /** Line feeds to add before the next content. */
  private dueBreaks = 0;
  readonly isPreformatted: boolean;

  constructor(
    parent: Block | null,
    private leadingBreaks: number,
    readonly width: number,
    preformatted = false,
  ) {
    this.inline = new InlineText(width);
    this.isPreformatted = preformatted || parent?.isPreformatted === true;
  }

  toString(): string {
    return this.inline.isEmpty ? this.finished : this.finished + this.inline.toString();
  }

  addText(text: string): void {
    if (this.isPreformatted) {
      this.finished += text;
    } else if (text !== '' && (this.dueBreaks === 0 || hasWords(text))) {
      if (this.dueBreaks > 0) this.inline.startLine(this.dueBreaks);
      this.inline.add(text);
      this.dueBreaks = 0;
    }
  }

  breakLine(): void {
    if (this.isPreformatted) this.finished += '\n';
    else this.inline.startLine();
  }

  allowBreak(): void {
    this.inline.allowBreak();
  }

  /** Adds a complete block, with `trailing` line feeds before the next content. */
  take(block: Block, text: string, trailing: number): void {
    this.takeText(text, block.leadingBreaks, Math.max(block.dueBreaks, trailing));
  }

  /** Adds a list. Its last item adds no line feeds after the list. */
  takeList(list: Block, text: string, trailing: number): void {
    this.takeText(text, list.leadingBreaks, trailing);
  }

  takeText(text: string, leading: number, trailing: number): void {
    const before = this.toString();
    const breaks = Math.max(this.dueBreaks, leading);
    this.inline.clear();
    if (before === '') {
      this.finished = text;
      this.leadingBreaks = breaks;
    } else {
      this.finished = before + '\n'.repeat(breaks) + text;
    }
    this.dueBreaks = trailing;
  }
}

/** Line feeds before and after an element. */
const BREAKS = new Map<string, readonly [leading: number, trailing: number]>([
  ...['article', 'aside', 'div', 'footer', 'form', 'header', 'main', 'nav', 'section'].map(
    (name) => [name, [1, 1]] as const,
  ),
  ...['h1', 'h2', 'h3'].map((name) => [name, [3, 2]] as const),
  ...['h4', 'h5', 'h6', 'p', 'pre'].map((name) => [name, [2, 2]] as const),
]);

class Renderer {
  constructor(private readonly budget: WorkBudget) {}

  add(nodes: readonly OutlineNode[], into: Block): void {
    for (const node of nodes) {
      if (typeof node === 'string') into.addText(node);
      else this.addElement(node, into);
    }
  }

  private addElement(element: OutlineElement, into: Block): void {
    const { name, children } = element;
    const breaks = BREAKS.get(name);
    if (breaks !== undefined) {
      const block = new Block(into, breaks[0], into.width, name === 'pre');
      this.add(children, block);
      into.take(block, block.toString(), breaks[1]);
      return;
    }
    switch (name) {
      case 'br':
        into.breakLine();
        break;
      case 'wbr':
        into.allowBreak();
        break;
      case 'hr': {
        const block = new Block(into, 2, into.width);
        block.addText(RULE);
        into.take(block, block.toString(), 2);
        break;
      }
      case 'blockquote':
        this.addQuote(element, into);
        break;
      case 'ul':
      case 'ol':
        this.addList(element, into);
        break;
      case 'table':
        this.addTable(element, into);
        break;
      default:
        this.add(children, into);
    }
  }

  private addQuote({ children }: OutlineElement, into: Block): void {
    const block = new Block(into, 2, Math.max(NARROWEST, into.width - 2));
    this.add(children, block);
    into.take(block, this.budget.quoted(block.toString()), 2);
  }

  private addList(element: OutlineElement, into: Block): void {
    const items = itemsOf(element);
    if (items.length === 0) return;
    const indent = items.reduce((widest, { prefix }) => Math.max(widest, prefix.length), 0);
    const list = new Block(into, element.inListItem ? 1 : 2, into.width);
    for (const { prefix, node } of items) {
      const item = new Block(list, 1, Math.max(NARROWEST, list.width - indent));
      this.add([node], item);
      list.take(item, prefix.padEnd(indent) + this.budget.indented(item.toString(), indent), 1);
    }
    const text = list.toString();
    if (text !== '') into.takeList(list, text, element.inListItem ? 1 : 2);
  }

  private addTable({ children }: OutlineElement, into: Block): void {
    const rows: TableCell[][] = [];
    this.addRows(children, into, rows);
    const text = tableText(rows, this.budget);
    if (text !== '') into.takeText(text, 2, 2);
  }

  private addRows(nodes: readonly OutlineNode[], around: Block, rows: TableCell[][]): void {
    for (const node of nodes) {
      if (typeof node === 'string') continue;
      switch (node.name) {
        case 'thead':
        case 'tbody':
        case 'tfoot':
        case 'center':
          this.addRows(node.children, around, rows);
          break;
        case 'tr':
          rows.push(node.children.flatMap((cell) => this.cellOf(cell, around)));
          break;
      }
    }
  }

  private cellOf(node: OutlineNode, around: Block): TableCell[] {
    if (typeof node === 'string' || (node.name !== 'td' && node.name !== 'th')) return [];
    const block = new Block(around, 1, CELL_WIDTH);
    this.add(node.children, block);
    return [
      {
        text: this.budget.withoutOuterBreaks(block.toString()),
        columns: numberAttribute(node, 'colspan', { least: 1, most: MOST_COLUMNS, fallback: 1 }),
        rows: numberAttribute(node, 'rowspan', { least: 1, most: MOST_ROWS, fallback: 1 }),
      },
    ];
  }
}

/** The maximum span of a cell in the HTML standard. */
const MOST_COLUMNS = 1000;
const MOST_ROWS = 65_534;
const MOST_NUMBER = 1_000_000_000;

interface ListItem {
  readonly prefix: string;
  readonly node: OutlineNode;
}

/** Every child of a list is an item. Only `li` has a bullet or a number. */
function itemsOf(list: OutlineElement): ListItem[] {
  const numbered = list.name === 'ol';
  const kind = numbered ? (list.attributes.get('type') ?? '1') : '';
  let number = numbered
    ? numberAttribute(list, 'start', { least: -MOST_NUMBER, most: MOST_NUMBER, fallback: 1 })
    : 0;
  const lead = list.inListItem ? '' : ' ';
  return joinedTexts(list.children)
    .filter((node) => typeof node !== 'string' || node.trim() !== '')
    .map((node) => {
      if (typeof node === 'string' || node.name !== 'li') return { prefix: '', node };
      return { prefix: numbered ? `${lead}${listNumber(number++, kind)}. ` : `${lead}* `, node };
    });
}

/** The nodes, with adjacent texts joined. */
function joinedTexts(nodes: readonly OutlineNode[]): OutlineNode[] {
  const joined: OutlineNode[] = [];
  let text = '';
  for (const node of nodes) {
    if (typeof node === 'string') {
      text += node;
      continue;
    }
    if (text !== '') joined.push(text);
    text = '';
    joined.push(node);
  }
  if (text !== '') joined.push(text);
  return joined;
}
