import { valueHash } from '../domain/written-content.js';
import type { GeneratedProduct } from './generated-content.js';
import { escapeText } from './html/escape.js';

/**
 * The product with its `description` in place of `html_description` where only the former was generated: the latter is missing,
 * or is what the catalog was told. Blank lines part paragraphs, single line ends stay line ends. `pushed` are hashes by
 * catalog field of what the catalog was told.
 */
export function withHtmlDescription<T extends GeneratedProduct>(
  product: T,
  pushed: Readonly<Record<string, string>>,
): T {
  const { description, html_description: html } = product;
  if (!isGenerated(description, pushed['description']) || isGenerated(html, pushed['html_description']))
    return product;
  return { ...product, html_description: paragraphs(description) };
}

function isGenerated(text: string | null | undefined, pushed: string | undefined): text is string {
  return text != null && text.trim() !== '' && valueHash(text) !== pushed;
}

function paragraphs(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => `<p>${escapeText(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('\n');
}
