import { valueHash } from '../domain/written-content.js';
import type { GeneratedProduct } from './generated-content.js';
import { escapeText } from './html/escape.js';

/**
 * Replaces `html_description` by the paragraphs of `description` when only the latter was generated. The HTML counts as not generated
 * when it is missing, or equals the value that store-sync sent. `pushed` has hashes of the sent values by catalog field. A blank line
 * separates paragraphs, and a single line end becomes `<br>`.
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
