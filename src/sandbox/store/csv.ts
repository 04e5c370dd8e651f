import { CodedError } from '../../domain/errors.js';
import { readRows } from './csv-rows.js';
import type { CsvRow } from './csv-rows.js';
import { PRODUCT_STATUSES } from './model.js';
import type { ProductStatus, Weight } from './model.js';

/** A product as a product export describes it: no ids, nothing normalised yet. */
export interface ImportedProduct {
  readonly handle: string;
  readonly title: string;
  readonly descriptionHtml: string;
  readonly vendor: string;
  readonly productType: string;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly published: boolean;
  readonly status: ProductStatus;
  readonly seoTitle: string | null;
  readonly seoDescription: string | null;
  readonly isGiftCard: boolean;
  readonly optionNames: readonly string[];
  readonly variants: readonly ImportedVariant[];
  /** In the order of their positions. */
  readonly images: readonly ImportedImage[];
  readonly metafields: readonly ImportedMetafield[];
}

export interface ImportedVariant {
  /** One value for each option name. */
  readonly optionValues: readonly string[];
  readonly sku: string | null;
  readonly barcode: string | null;
  readonly weight: Weight | null;
  readonly imageUrl: string | null;
}

export interface ImportedImage {
  readonly url: string;
  readonly alt: string | null;
}

export interface ImportedMetafield {
  readonly namespace: string;
  readonly key: string;
  /** The export does not say the type: text, of several lines where the value has several. */
  readonly type: 'single_line_text_field' | 'multi_line_text_field';
  readonly value: string;
}

const OPTION_FIELDS = [
  ['option1Name', 'option1Value'],
  ['option2Name', 'option2Value'],
  ['option3Name', 'option3Value'],
] as const;

/** The products of an export, and what of it cannot be read. */
export interface ReadExport {
  readonly products: readonly ImportedProduct[];
  /** Each names file, line and column. A row costs itself; a value that is none, its product. */
  readonly problems: readonly CodedError[];
}

/**
 * Reads a Shopify product export: the rows of one handle make one product, with one variant and up to one image a row.
 * Throws `invalid` for a file that is no such export.
 */
export function readProductCsv(text: string, file = 'products.csv'): ReadExport {
  const { rows, problems: rowProblems } = readRows(text, file);
  const problems = [...rowProblems];
  const groups = new Map<string, [CsvRow, ...CsvRow[]]>();
  for (const row of rows) {
    const handle = row.text('handle');
    const group = groups.get(handle);
    if (handle === '')
      problems.push(row.error('handle', 'is empty; every row names the product it belongs to'));
    else if (group) group.push(row);
    else groups.set(handle, [row]);
  }
  const products: ImportedProduct[] = [];
  for (const group of groups.values()) {
    try {
      products.push(productOf(group));
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      problems.push(error);
    }
  }
  return { products, problems };
}

/** As `readProductCsv`, for an export that must be whole: throws its first problem. */
export function parseProductCsv(text: string, file?: string): readonly ImportedProduct[] {
  const { products, problems } = readProductCsv(text, file);
  const [first] = problems;
  if (first) throw first;
  return products;
}

function productOf(rows: readonly [CsvRow, ...CsvRow[]]): ImportedProduct {
  const [first] = rows;
  if (!first.has('title')) throw first.error('title', 'is empty on the first row of a product');
  const published = first.flag('published') ?? true;
  const optionNames = optionNamesOf(first);
  const variantRows = rows.filter((row, index) => index === 0 || row.has('option1Value'));
  return {
    handle: first.text('handle'),
    title: first.text('title'),
    descriptionHtml: first.raw('body'),
    vendor: first.text('vendor'),
    productType: first.text('type'),
    category: categoryOf(first),
    tags: first
      .text('tags')
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
    published,
    status: statusOf(first, published),
    seoTitle: orNull(first.text('seoTitle')),
    seoDescription: orNull(first.text('seoDescription')),
    isGiftCard: first.flag('giftCard') ?? false,
    optionNames,
    variants: variantRows.map((row) => variantOf(row, optionNames)),
    images: imagesOf(rows),
    metafields: first.metafields().map((metafield) => ({
      ...metafield,
      type: metafield.value.includes('\n') ? 'multi_line_text_field' : 'single_line_text_field',
    })),
  };
}

/** Names stand on the first row only; a product without any has the store's own option. */
function optionNamesOf(row: CsvRow): string[] {
  const names: string[] = [];
  for (const [nameField, valueField] of OPTION_FIELDS) {
    if (!row.has(nameField, valueField)) continue;
    if (!row.has(nameField)) {
      if (nameField === 'option1Name') names.push('Title');
      else throw row.error(nameField, `is empty, but the option has the value "${row.text(valueField)}"`);
    } else names.push(row.text(nameField));
  }
  return names.length > 0 ? names : ['Title'];
}

function variantOf(row: CsvRow, optionNames: readonly string[]): ImportedVariant {
  const optionValues = optionNames.map((name, index) => {
    const valueField = OPTION_FIELDS[index]?.[1] ?? 'option1Value';
    const value = row.text(valueField);
    if (value !== '') return value;
    if (optionNames.length === 1 && name === 'Title') return 'Default Title';
    throw row.error(valueField, `is empty, but the product has the option "${name}"`);
  });
  return {
    optionValues,
    sku: orNull(asText(row.text('sku'))),
    barcode: orNull(asText(row.text('barcode'))),
    weight: weightOf(row),
    imageUrl: orNull(row.text('variantImage')),
  };
}

/** The export writes grams whatever the unit in which the shop shows the weight. */
function weightOf(row: CsvRow): Weight | null {
  const grams = row.number('grams');
  if (grams === null) return null;
  const unit = row.text('weightUnit').toLowerCase() || 'g';
  const units = {
    g: { name: 'GRAMS', grams: 1 },
    kg: { name: 'KILOGRAMS', grams: 1000 },
    oz: { name: 'OUNCES', grams: 28.349523125 },
    lb: { name: 'POUNDS', grams: 453.59237 },
  } as const;
  if (!isKeyOf(units, unit)) throw row.error('weightUnit', `"${unit}" is none of g, kg, oz, lb`);
  return { value: Number((grams / units[unit].grams).toFixed(4)), unit: units[unit].name };
}

function imagesOf(rows: readonly CsvRow[]): ImportedImage[] {
  const placed = rows
    .filter((row) => row.has('imageUrl'))
    .map((row, index) => ({
      position: row.number('imagePosition') ?? index + 1,
      image: { url: urlOf(row, 'imageUrl'), alt: orNull(row.text('imageAlt')) },
    }))
    .sort((left, right) => left.position - right.position)
    .map(({ image }) => image);
  const ofVariants = rows
    .filter((row) => row.has('variantImage'))
    .map((row) => ({ url: urlOf(row, 'variantImage'), alt: null }));
  const seen = new Set<string>();
  return [...placed, ...ofVariants].filter(({ url }) => !seen.has(url) && seen.add(url));
}

function urlOf(row: CsvRow, field: 'imageUrl' | 'variantImage'): string {
  const url = row.text(field);
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw row.error(field, `"${url}" is not an http(s) address`);
  return url;
}

/** A number in this column is a Google category id, which names nothing in the store's taxonomy. */
function categoryOf(row: CsvRow): string | null {
  const category = row.text('category');
  return category === '' || /^\d+$/.test(category) ? null : category;
}

function statusOf(row: CsvRow, published: boolean): ProductStatus {
  const text = row.text('status').toUpperCase();
  if (text === '') return published ? 'ACTIVE' : 'DRAFT';
  const status = PRODUCT_STATUSES.find((known) => known === text);
  if (!status)
    throw row.error(
      'status',
      `"${row.text('status')}" is none of ${PRODUCT_STATUSES.join(', ').toLowerCase()}`,
    );
  return status;
}

/** Exports and spreadsheets put an apostrophe before numbers to keep them text. */
function asText(cell: string): string {
  return cell.replace(/^'/, '');
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}

function isKeyOf<T extends object>(record: T, key: string): key is Extract<keyof T, string> {
  return Object.hasOwn(record, key);
}
