/** The names of a product export's columns, in the classic export and in the template of 2025. Case is ignored. */
const NAMES = {
  handle: ['Handle', 'URL handle'],
  title: ['Title'],
  body: ['Body (HTML)', 'Body HTML', 'Description'],
  vendor: ['Vendor'],
  category: ['Product Category', 'Standard Product Type', 'Google Shopping / Google Product Category'],
  type: ['Type', 'Custom Product Type'],
  tags: ['Tags'],
  published: ['Published', 'Published on online store'],
  status: ['Status'],
  option1Name: ['Option1 Name'],
  option1Value: ['Option1 Value'],
  option2Name: ['Option2 Name'],
  option2Value: ['Option2 Value'],
  option3Name: ['Option3 Name'],
  option3Value: ['Option3 Value'],
  sku: ['Variant SKU', 'SKU'],
  barcode: ['Variant Barcode', 'Barcode'],
  grams: ['Variant Grams', 'Weight value (grams)'],
  weightUnit: ['Variant Weight Unit', 'Weight unit for display'],
  imageUrl: ['Image Src', 'Product image URL'],
  imagePosition: ['Image Position'],
  imageAlt: ['Image Alt Text'],
  variantImage: ['Variant Image', 'Variant image URL'],
  giftCard: ['Gift Card'],
  seoTitle: ['SEO Title'],
  seoDescription: ['SEO Description'],
} as const;

export type CsvField = keyof typeof NAMES;

export interface MetafieldColumn {
  readonly column: string;
  readonly namespace: string;
  readonly key: string;
}

export interface CsvColumns {
  /** The header's own spelling of each field's columns, those that the file has, in order of preference. */
  readonly named: ReadonlyMap<CsvField, readonly string[]>;
  readonly metafields: readonly MetafieldColumn[];
}

const METAFIELD = /\(product\.metafields\.([^.()\s]+)\.([^()\s]+)\)\s*$/;

/** Finds the columns that are understood; all others are left alone. */
export function findColumns(header: readonly string[]): CsvColumns {
  const bySpelling = new Map(header.map((column) => [column.trim().toLowerCase(), column]));
  const named = new Map<CsvField, string[]>();
  for (const field of Object.keys(NAMES) as CsvField[]) {
    const present = NAMES[field].flatMap((name) => bySpelling.get(name.toLowerCase()) ?? []);
    if (present.length > 0) named.set(field, present);
  }
  const metafields = header.flatMap((column) => {
    const match = METAFIELD.exec(column);
    return match?.[1] === undefined || match[2] === undefined
      ? []
      : [{ column, namespace: match[1], key: match[2] }];
  });
  return { named, metafields };
}
