import { valueHash } from '../domain/written-content.js';
import { translationTarget } from '../domain/write-target.js';
import type { GeneratedProduct } from './generated-content.js';
import { escapeText } from '../domain/text.js';

/** A text in a further language, beside the same product in the workspace's own one. */
export interface InLocale {
  readonly locale: string;
  readonly primary: GeneratedProduct;
}

/**
 * Replaces `html_description` by the paragraphs of `description` when only the latter was generated. A text counts as not generated
 * when it is missing, or equals the value that store-sync sent. In a further language, that of the workspace's own one does not count
 * either. `pushed` has hashes of the sent values by catalog field. A blank line separates paragraphs, and a single line end becomes
 * `<br>`.
 */
export function withHtmlDescription<T extends GeneratedProduct>(
  product: T,
  pushed: Readonly<Record<string, string>>,
  inLocale?: InLocale,
): T {
  const { description } = product;
  const isGenerated = (field: 'description' | 'html_description'): boolean => {
    const text = product[field];
    if (text == null || text.trim() === '' || valueHash(text) === pushed[field]) return false;
    if (inLocale === undefined) return true;
    const { locale, primary } = inLocale;
    return text !== primary[field] && valueHash(text) !== pushed[translationTarget(locale, field)];
  };
  if (description == null || !isGenerated('description') || isGenerated('html_description')) return product;
  return { ...product, html_description: paragraphs(description) };
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
