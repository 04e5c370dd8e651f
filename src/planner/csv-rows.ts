import {
  CSV_FIELDS,
  type CatalogField,
  type CatalogProductBody,
  type JsonValue,
} from '../domain/catalog-product.js';
import { fingerprint } from '../domain/fingerprint.js';
import { filledFields } from './map-to-catalog.js';

/** The format of a CSV file of products, which the service does not document. */
export interface CsvFormat {
  /** The heading of each field's column. A field without a column is sent by a request afterwards. */
  readonly columns: Readonly<Record<string, string>>;
  /** Between the values of a list; empty: a list is JSON. Other values that are no text are always JSON. */
  readonly listSeparator: string;
  /** The size of a file. A product that alone would exceed it is created by a request. */
  readonly maxBytes: number;
}

/** A catalog product as its listing shows it. */
export type ListedProduct = Readonly<Partial<Record<CatalogField | 'is_product_model', unknown>>>;

export function csvHeading({ columns }: CsvFormat): string {
  return line(columnsOf(columns).map(([, heading]) => heading));
}

/**
 * The product's line of the file. Null when a request creates the product: it has variants and the file has no column for them, or
 * its line is too long for a file.
 */
export function csvRow(body: CatalogProductBody, format: CsvFormat): string | null {
  if ((body.variants ?? []).length > 0 && format.columns['variants'] === undefined) return null;
  const row = line(
    columnsOf(format.columns).map(([field]) =>
      field === 'external_id' ? body.external_id : (cellOf(body[field], format) ?? ''),
    ),
  );
  return Buffer.byteLength(csvHeading(format) + row) > format.maxBytes ? null : row;
}

/**
 * The filled fields of `body` that the product in the listing does not hold. `sent` is what the file had of it. A field that the
 * listing does not show counts as held when the file had it.
 */
export function missingFields(
  body: CatalogProductBody,
  listed: ListedProduct,
  { sent, format }: { readonly sent: CatalogProductBody; readonly format: CsvFormat },
): CatalogField[] {
  const isInFile = csvRow(sent, format) !== null;
  const wasSent = (field: CatalogField): boolean =>
    isInFile &&
    format.columns[field] !== undefined &&
    cellOf(sent[field], format) !== null &&
    fingerprint(sent[field]) === fingerprint(body[field]);
  return filledFields(body).filter((field) => {
    // Listings leave variants out (docs/catalog-rules.md#variants-of-a-product).
    if (field === 'variants') return listed.is_product_model === false || !wasSent(field);
    const shown = listed[field];
    return shown === undefined ? !wasSent(field) : !holds(shown, body[field], field);
  });
}

function columnsOf(columns: CsvFormat['columns']): [CatalogField | 'external_id', string][] {
  return CSV_FIELDS.flatMap((field): [CatalogField | 'external_id', string][] => {
    const heading = columns[field];
    return heading === undefined ? [] : [[field as CatalogField | 'external_id', heading]];
  });
}

/** Null when the format cannot hold the value. */
function cellOf(value: CatalogProductBody[CatalogField], { listSeparator }: CsvFormat): string | null {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (!Array.isArray(value) || listSeparator === '') return JSON.stringify(value);
  const texts = value.map(listText);
  const isWhole = texts.every((text) => text !== null && text !== '' && !text.includes(listSeparator));
  return isWhole ? texts.join(listSeparator) : null;
}

/** A list of texts, of numbers, or of images, which are their addresses in order. Anything else is no list of texts. */
function listText(value: unknown): string | null {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  const address =
    typeof value === 'object' && value !== null && 'source_url' in value ? value.source_url : null;
  return typeof address === 'string' ? address : null;
}

function line(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

/** By RFC 4180. The values stay as they are: a program reads this file, and no spreadsheet. */
function quoted(cell: string): string {
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** True when the shown value has all of ours. The service may add members and renumber images. */
function holds(shown: unknown, ours: CatalogProductBody[CatalogField], field: CatalogField): boolean {
  if (field === 'images') return fingerprint(addressesOf(shown)) === fingerprint(addressesOf(ours));
  if (typeof ours !== 'object' || ours === null || Array.isArray(ours)) return isEqual(shown, ours);
  if (typeof shown !== 'object' || shown === null) return false;
  const members = new Map<string, unknown>(Object.entries(shown));
  return Object.entries(ours).every(([name, value]) => isEqual(members.get(name), value as JsonValue));
}

function isEqual(shown: unknown, ours: unknown): boolean {
  if (shown === undefined) return false;
  return typeof ours === 'string' ? shown === ours : fingerprint(shown) === fingerprint(ours);
}

/** Addresses in the order of the images. */
function addressesOf(images: unknown): string[] {
  const list: unknown[] = Array.isArray(images) ? images : [];
  const entries = list.map((image, index) => {
    const { order = index, source_url = null } = image as {
      order?: number | null;
      source_url?: string | null;
    };
    return { order: order ?? index, address: source_url ?? '' };
  });
  return entries.toSorted((one, other) => one.order - other.order).map(({ address }) => address);
}
