import { IDENTIFIER_KINDS, type IdentifierKind } from '../domain/catalog-product.js';
import { foldedIdentifier, identifierText } from '../domain/identifier-text.js';
import { isMissing } from './placeholders.js';

/** The identifiers of a product or a variant, as the store has them. */
export type StoreCodes = Readonly<Record<IdentifierKind, string | null | undefined>>;
/** The identifiers as they can be sent: without blanks around them. */
export type Codes = Readonly<Record<IdentifierKind, string | null>>;

export interface PlacedCodes {
  readonly product: Codes;
  /** By variant: its identifiers, and the codes that it shares with others, which are facts about it and no identifiers. */
  readonly variants: readonly { readonly own: Codes; readonly shared: Partial<Codes> }[];
}

/**
 * Places the codes of a product and its variants where they are unique. A code that several variants share names none of them: the
 * product gets it where all variants that have a code agree, and otherwise each variant keeps it as an attribute.
 */
export function placedCodes(product: StoreCodes, variants: readonly StoreCodes[]): PlacedCodes {
  const own = cleaned(product);
  const all = variants.map(cleaned);
  const placed = IDENTIFIER_KINDS.map((kind) =>
    placedKind(
      own[kind],
      all.map((codes) => codes[kind]),
    ),
  );
  const perKind = <Value>(
    valueOf: (kind: (typeof placed)[number]) => Value,
  ): Record<IdentifierKind, Value> => {
    const [sku, barcode, mpn, asin] = placed.map(valueOf) as [Value, Value, Value, Value];
    return { sku, barcode, mpn, asin };
  };
  return {
    product: perKind((kind) => kind.product),
    variants: variants.map((_codes, index) => ({
      own: perKind((kind) => kind.own[index] ?? null),
      shared: perKind((kind) => kind.shared[index] ?? null),
    })),
  };
}

interface PlacedKind {
  readonly product: string | null;
  readonly own: readonly (string | null)[];
  readonly shared: readonly (string | null)[];
}

function placedKind(product: string | null, values: readonly (string | null)[]): PlacedKind {
  const counts = new Map<string, number>();
  for (const value of [product, ...values]) {
    if (value === null) continue;
    const folded = foldedIdentifier(value);
    counts.set(folded, (counts.get(folded) ?? 0) + 1);
  }
  const isShared = (value: string | null): boolean =>
    value !== null && (counts.get(foldedIdentifier(value)) ?? 0) > 1;
  const own = values.map((value) => (isShared(value) ? null : value));
  const shared = values.map((value) => (isShared(value) ? value : null));
  const agreed = counts.size === 1 ? (values.find(isShared) ?? null) : null;
  if (agreed === null) return { product, own, shared };
  return { product: product ?? agreed, own, shared: values.map(() => null) };
}

function cleaned(codes: StoreCodes): Codes {
  const text = (kind: IdentifierKind): string | null => {
    const value = identifierText(codes[kind]);
    return value === null || isMissing(value) ? null : value;
  };
  return { sku: text('sku'), barcode: text('barcode'), mpn: text('mpn'), asin: text('asin') };
}
