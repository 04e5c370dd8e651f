import { convert } from 'html-to-text';
import { categoryLevels } from '../products/categories.js';
import type { ProductView } from '../products/product.schemas.js';

/** A person's texts about a product in one language. Content is made only from these. */
export interface GenerationSource {
  readonly name: string | null;
  readonly description: string | null;
  readonly htmlDescription: string | null;
  readonly brand: string | null;
  readonly category: string | null;
  readonly attributes: ProductView['open_attributes'];
  readonly imageCount: number;
}

export interface GeneratedContent {
  readonly name: string;
  readonly description: string;
  readonly htmlDescription: string;
  readonly sections: ProductView['sections'];
}

/** The line that ends every generated description. */
export const DISCLOSURE = "Written by rules from the product's own data, not by AI.";

const KEY_OPTIONS = ['material', 'color', 'colour', 'size', 'capacity', 'style'];
const TITLE_MAX_LENGTH = 120;
/** A text shorter than half of the merchant's would be held back by the gate `shrink`. */
const KEPT_SHARE = 0.7;
const SENTENCES_OF_PARAGRAPH = 4;
const SEO_DESCRIPTION_MAX_LENGTH = 155;

/**
 * Rules in place of the service's AI. The same source gives the same content, and a source without anything in it still
 * gives some.
 */
export function generateContent(source: GenerationSource): GeneratedContent {
  const facts = factsOf(source.attributes);
  const name = titleOf(source, facts);
  const sentences = introduction(source, name);
  const description = [
    ...sentences,
    ...facts.map(({ label, text }) => `${label}: ${text}.`),
    DISCLOSURE,
  ].join(' ');
  const list = facts.map(
    ({ label, text }) => `<li><strong>${escapeHtml(label)}:</strong> ${escapeHtml(text)}</li>`,
  );
  const htmlDescription = [
    ...paragraphsOf(sentences).map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    ...(list.length === 0 ? [] : [`<ul>${list.join('')}</ul>`]),
    `<p><em>${escapeHtml(DISCLOSURE)}</em></p>`,
  ].join('\n');
  return { name, description, htmlDescription, sections: sectionsOf(source, name, sentences, facts) };
}

interface Fact {
  readonly code: string;
  readonly label: string;
  readonly text: string;
  readonly value: ProductView['open_attributes'][string];
}

function factsOf(attributes: GenerationSource['attributes']): Fact[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    const text = factText(value);
    const words = key.toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u);
    const code = words.filter((word) => word !== '').join('_');
    if (text === '' || code === '') return [];
    return [{ code, label: labelOf(key), text, value }];
  });
}

/** Text for people; empty for what has none. */
function factText(value: Fact['value']): string {
  if (typeof value === 'string') return collapse(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value))
    return value
      .map(factText)
      .filter((text) => text !== '')
      .join(', ');
  return '';
}

/** `open_box` and `Open box` are both "Open box". */
function labelOf(key: string): string {
  const words = collapse(key.replaceAll(/[_-]+/g, ' '));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function titleOf(source: GenerationSource, facts: readonly Fact[]): string {
  const cleaned = withoutTrailing(collapse((source.name ?? '').replaceAll(/\[[^[\]]*\]/g, ' ')), ' ,;:!–-');
  const leaf = categoryLevels(source.category ?? '').at(-1) ?? '';
  const base = unshout(cleaned === '' ? leaf || 'Product' : cleaned);
  const brand = collapse(source.brand ?? '');
  const option = facts.find(({ code }) => KEY_OPTIONS.includes(code))?.text ?? '';
  const branded = brand === '' || contains(base, brand) ? base : `${brand} ${base}`;
  const full = option === '' || contains(branded, option) ? branded : `${branded} – ${option}`;
  return full.length <= TITLE_MAX_LENGTH ? full : branded;
}

function introduction(source: GenerationSource, name: string): string[] {
  const leaf = categoryLevels(source.category ?? '').at(-1);
  const brand = collapse(source.brand ?? '');
  const opening = `${name}${leaf === undefined ? '' : `, from ${leaf}`}${brand === '' ? '' : `, by ${brand}`}.`;
  const written = collapse(source.description ?? '') || plainText(source.htmlDescription ?? '');
  return [opening, ...mostOf(written)];
}

/** The first sentences of a text: two, or as many as hold the share of it that a shorter description should keep. */
function mostOf(written: string): string[] {
  const taken: string[] = [];
  let length = 0;
  for (const sentence of sentencesOf(written)) {
    if (taken.length >= 2 && length >= written.length * KEPT_SHARE) break;
    taken.push(sentence);
    length += sentence.length + 1;
  }
  return taken;
}

function paragraphsOf(sentences: readonly string[]): string[] {
  const count = Math.ceil(sentences.length / SENTENCES_OF_PARAGRAPH);
  return Array.from({ length: count }, (_, index) =>
    sentences.slice(index * SENTENCES_OF_PARAGRAPH, (index + 1) * SENTENCES_OF_PARAGRAPH).join(' '),
  );
}

function sectionsOf(
  { attributes, imageCount, category }: GenerationSource,
  name: string,
  sentences: readonly string[],
  facts: readonly Fact[],
): ProductView['sections'] {
  const levels = categoryLevels(category ?? '');
  return [
    ...facts.map(({ code, label, value }) => ({ code, name: label, value })),
    { code: 'seo_title', name: 'SEO title', value: cut(name, 60) },
    {
      code: 'seo_description',
      name: 'SEO description',
      value: cut(sentences.join(' '), SEO_DESCRIPTION_MAX_LENGTH),
    },
    ...(levels.length === 0 ? [] : [{ code: 'keywords', name: 'Keywords', value: levels, weight: 0.5 }]),
    { code: 'attribute_count', name: 'Attribute count', value: Object.keys(attributes).length, unit: null },
    { code: 'has_images', name: 'Has images', value: imageCount > 0 },
    { code: 'generated_by', name: 'Generated by', value: 'rules' },
  ];
}

function sentencesOf(text: string): string[] {
  const segments = new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text);
  return [...segments].map(({ segment }) => segment.trim()).filter((sentence) => sentence !== '');
}

function plainText(html: string): string {
  return collapse(
    convert(html, { wordwrap: false, selectors: [{ selector: 'a', options: { ignoreHref: true } }] }),
  );
}

/** `BLUE SHIRT` becomes `Blue Shirt`; mixed case is left as it was written. */
function unshout(text: string): string {
  if (text !== text.toUpperCase() || !/[A-Z]{4}/.test(text)) return text;
  return text.toLowerCase().replaceAll(/(^|\s)\S/g, (first) => first.toUpperCase());
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const shortened = text.slice(0, maxLength - 1);
  const space = shortened.lastIndexOf(' ');
  // toWellFormed: the cut may fall between the halves of a surrogate pair.
  return `${(space > 0 ? shortened.slice(0, space) : shortened).toWellFormed()}…`;
}

/** The text without the given characters at its end, however many there are. */
function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function collapse(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => HTML_ENTITIES[character] ?? character);
}
