import { outlineOf, type OutlineNode } from './html/outline.js';
import { htmlToText } from './html/plain-text.js';

interface RichNode {
  readonly type: string;
  readonly value?: string;
  readonly level?: number;
  readonly listType?: 'ordered' | 'unordered';
  readonly children?: readonly RichNode[];
}

/** The store's rich text of plain text or of sanitised HTML: paragraphs, headings and lists. Empty: null. */
export function richText(text: string): string | null {
  const blocks = /<[a-z]/i.test(text) ? blocksOf(outlineOf(text)) : paragraphs(unescaped(text));
  return blocks.length === 0 ? null : JSON.stringify({ type: 'root', children: blocks });
}

/** The store's rich text of a list: one bullet for each entry. */
export function richList(entries: readonly string[]): string | null {
  const items = entries.flatMap((entry) => item(htmlToText(entry)));
  return items.length === 0
    ? null
    : JSON.stringify({ type: 'root', children: [{ type: 'list', listType: 'unordered', children: items }] });
}

function blocksOf(nodes: readonly OutlineNode[]): RichNode[] {
  const blocks: RichNode[] = [];
  let inline = '';
  const flush = (): void => {
    blocks.push(...paragraphs(htmlToText(inline)));
    inline = '';
  };
  for (const node of nodes) {
    if (typeof node === 'string') inline += escaped(node);
    else if (node.name === 'br') inline += '<br>';
    else {
      flush();
      blocks.push(...block(node.name, node.children));
    }
  }
  flush();
  return blocks;
}

function block(name: string, children: readonly OutlineNode[]): RichNode[] {
  if (/^h[1-6]$/.test(name)) {
    const value = textOf(children);
    return value === '' ? [] : [{ type: 'heading', level: Number(name.slice(1)), children: [leaf(value)] }];
  }
  if (name !== 'ul' && name !== 'ol') return blocksOf(children);
  const items = children.flatMap((child) => (typeof child === 'string' ? [] : item(textOf(child.children))));
  const listType = name === 'ol' ? 'ordered' : 'unordered';
  return items.length === 0 ? [] : [{ type: 'list', listType, children: items }];
}

function item(text: string): RichNode[] {
  const value = text.replaceAll(/\s+/g, ' ').trim();
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

function textOf(nodes: readonly OutlineNode[]): string {
  const html = (node: OutlineNode): string =>
    typeof node === 'string'
      ? escaped(node)
      : node.name === 'br'
        ? '<br>'
        : ` ${node.children.map(html).join('')} `;
  return htmlToText(nodes.map(html).join('')).trim();
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Sanitised text without markup may hold these three references. */
function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
