import { isDeepStrictEqual } from 'node:util';
import { productExternalId } from '../../domain/external-id.js';
import type { ProductSnapshot } from '../../domain/snapshot.js';
import type { SourceProduct } from '../../domain/store-port.js';
import type { ReadScope } from './api-types.js';
import { type ExportLine, isVariant, linesOf, parseLine, strayChild } from './export-lines.js';
import { MalformedProductError, numericId, type RawProduct, toSnapshot } from './mapper.js';

/**
 * The products of a part file, whose lines may have any order. A product or child that is there twice counts once. Throws `transient` for a
 * child without its product. A product throws when its snapshot is requested where it has another shape, or where it or a child is there
 * with two contents: somebody may have edited it during the export.
 */
export async function productsOfPart(path: string, scope: ReadScope): Promise<readonly SourceProduct[]> {
  const lines: ExportLine[] = [];
  for await (const some of linesOf(path)) {
    for (const bytes of some) lines.push(parseLine(bytes));
  }
  return productsOf(lines, scope);
}

/** The same of lines that are read. */
export function productsOf(lines: readonly ExportLine[], scope: ReadScope): readonly SourceProduct[] {
  return groupLines(lines).map((product) => sourceOf(product, scope));
}

interface Group {
  readonly own: ExportLine;
  readonly children: ExportLine[];
  /** The id of the line that the export has twice. */
  repeated?: string;
}

function groupLines(lines: readonly ExportLine[]): readonly Group[] {
  const products = new Map<string, Group>();
  /** The product of each variant. */
  const owners = new Map<string, string>();
  for (const line of lines) {
    if (line.parent === null) {
      const before = products.get(line.id);
      if (before === undefined) products.set(line.id, { own: line, children: [] });
      else if (!isDeepStrictEqual(before.own.node, line.node)) before.repeated = line.id;
    } else if (isVariant(line.id)) owners.set(line.id, line.parent);
  }
  const seen = new Map<string, ExportLine>();
  for (const line of lines) {
    if (line.parent === null) continue;
    const group = products.get(line.parent) ?? products.get(owners.get(line.parent) ?? '');
    if (group === undefined) throw strayChild(line);
    // A medium may belong to several variants.
    const key = `${line.parent} ${line.id}`;
    const before = seen.get(key);
    if (before === undefined) group.children.push(line);
    else if (!isDeepStrictEqual(before.node, line.node)) group.repeated = line.id;
    seen.set(key, line);
  }
  return [...products.values()];
}

function sourceOf({ own, children, repeated }: Group, scope: ReadScope): SourceProduct {
  const snapshot = (): ProductSnapshot => {
    if (repeated !== undefined) throw new MalformedProductError(`the export repeats ${repeated}`);
    const ofKind = (kind: keyof RawProduct): unknown[] =>
      children.filter((child) => kindOf(child, own.id) === kind).map(({ node }) => node);
    const raw: RawProduct = {
      core: own.node,
      variants: ofKind('variants'),
      media: ofKind('media'),
      metafields: ofKind('metafields'),
      variantMedia: ofKind('variantMedia'),
    };
    return toSnapshot(raw, scope);
  };
  return { externalId: productExternalId(scope.identity, numericId(own.id)), storeId: own.id, snapshot };
}

/** There are many kinds of media. The other kinds have one name each. Only variants have children of their own. */
function kindOf({ kind, parent }: ExportLine, product: string): keyof RawProduct {
  if (parent !== product) return 'variantMedia';
  if (kind === 'ProductVariant') return 'variants';
  return kind === 'Metafield' ? 'metafields' : 'media';
}
