import { htmlOf, isElement, isText, parsedHtml, type HtmlNode } from './html/document.js';
import { plainTextOf } from './html/plain-text.js';

interface RichNode {
  readonly type: string;
  readonly value?: string;
  readonly level?: number;
  readonly listType?: 'ordered' | 'unordered';
  readonly children?: readonly RichNode[];
}

/** The store's rich text of plain text or of sanitised HTML: paragraphs, headings and lists. Empty: null. */
export function richText(text: string): string | null {
  const blocks = /<[a-z]/i.test(text) ? blocksOf(parsedHtml(text)) : paragraphs(unescaped(text));
  return blocks.length === 0 ? null : JSON.stringify({ type: 'root', children: blocks });
}

/** The store's rich text of a list: one bullet for each entry. */
export function richList(entries: readonly string[]): string | null {
  const items = entries.flatMap((entry) => item(plainTextOf(entry)));
  return items.length === 0
    ? null
    : JSON.stringify({ type: 'root', children: [{ type: 'list', listType: 'unordered', children: items }] });
}

/** Elements that start a paragraph or another block. Others are a part of the text around them. */
const BLOCKS: ReadonlySet<string> = new Set(
  (
    'article aside blockquote div dl dt dd figure figcaption footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre ' +
    'section table caption thead tbody tfoot tr td th ul'
  ).split(' '),
);

function isBlock(node: HtmlNode): boolean {
  return isElement(node) && (BLOCKS.has(node.name) || node.children.some(isBlock));
}

function blocksOf(nodes: readonly HtmlNode[]): RichNode[] {
  const blocks: RichNode[] = [];
  let inline: HtmlNode[] = [];
  const flush = (): void => {
    blocks.push(...paragraphs(plainTextOf(htmlOf(inline))));
    inline = [];
  };
  for (const node of nodes) {
    if (isElement(node) && isBlock(node)) {
      flush();
      blocks.push(...block(node.name, node.children));
    } else {
      inline.push(node);
    }
  }
  flush();
  return blocks;
}

function block(name: string, children: readonly HtmlNode[]): RichNode[] {
  if (/^h[1-6]$/.test(name)) {
    const value = folded(wordsOf(children));
    return value === '' ? [] : [{ type: 'heading', level: Number(name.slice(1)), children: [leaf(value)] }];
  }
  if (name !== 'ul' && name !== 'ol') return blocksOf(children);
  const items = children.filter(isElement).flatMap((child) => item(wordsOf(child.children)));
  const listType = name === 'ol' ? 'ordered' : 'unordered';
  return items.length === 0 ? [] : [{ type: 'list', listType, children: items }];
}

function item(text: string): RichNode[] {
  const value = folded(text);
  return value === '' ? [] : [{ type: 'list-item', children: [leaf(value)] }];
}

function paragraphs(text: string): RichNode[] {
  return text
    .split(/\n[ \t]*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => ({ type: 'paragraph', children: [leaf(paragraph)] }));
}

function leaf(value: string): RichNode {
  return { type: 'text', value };
}

function wordsOf(nodes: readonly HtmlNode[]): string {
  return nodes
    .map((node) => {
      if (isText(node)) return node.data;
      if (!isElement(node)) return '';
      return isBlock(node) || node.name === 'br' ? ` ${wordsOf(node.children)} ` : wordsOf(node.children);
    })
    .join('');
}

function folded(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Sanitised text without markup may hold these three references. */
function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
