import { describe, expect, it } from '@jest/globals';
import { rules, snapshot, variant } from '../../test/support/product-builders.js';
import { identifiersOf, toCatalogBody } from './map-to-catalog.js';

type Code = string | null;

/** The body of a product whose variants have these SKUs and barcodes. */
function sent(skus: readonly Code[], barcodes: readonly Code[] = []) {
  const variants = skus.map((sku, index) =>
    variant({
      id: String(11 + index),
      title: String(index),
      sku,
      barcode: barcodes[index] ?? null,
      options: [],
    }),
  );
  const { sku, barcode, ...body } = toCatalogBody(
    snapshot({ hasOnlyDefaultVariant: false, variants }),
    rules(),
  );
  return {
    sku,
    barcode,
    skus: body.variants?.map((each) => each.sku),
    barcodes: body.variants?.map((each) => each.barcode),
    attributes: body.variants?.map((each) => each.open_attributes),
    identifiers: identifiersOf({ ...body, sku, barcode }),
  };
}
const none = undefined;

describe('the codes of variants', () => {
  it.each<[string, Code[], string | undefined, (string | undefined)[]]>([
    ['that all share name the product', ['ST-1', 'ST-1', 'ST-1'], 'ST-1', [none, none, none]],
    ['shared but for blanks name the product', ['ST-1', null, 'ST-1', ' '], 'ST-1', [none, none, none, none]],
    ['that differ name the variants', ['ST-S', 'ST-M'], none, ['ST-S', 'ST-M']],
    ['of one variant name that variant', ['ST-1', null], none, ['ST-1', none]],
    ['of the only variant name it', ['ST-1'], none, ['ST-1']],
    ['that differ in letter case and blanks are shared', ['st-1 ', 'ST-1'], 'st-1', [none, none]],
    ['that say nothing are none', ['nan', 'NaN', '\u3164'], none, [none, none, none]],
  ])('%s', (_rule, skus, product, variants) => {
    expect(sent(skus)).toMatchObject({ sku: product, skus: variants });
  });

  it('that several variants share, and others do not, are attributes of those variants', () => {
    // A code for each size, shared by its colours, and one variant with a code of its own.
    const body = sent(['10', '10', '11', '11', '12']);
    expect(body.sku).toBeUndefined();
    expect(body.skus).toEqual([none, none, none, none, '12']);
    expect(body.attributes).toEqual([{ sku: '10' }, { sku: '10' }, { sku: '11' }, { sku: '11' }, none]);
    expect(body.identifiers.map(({ value }) => value)).toEqual(['12']);
  });

  it('are placed for each kind by itself: one barcode on all variants is that of the product', () => {
    const barcode = '978-1-98765-432-1';
    expect(sent(['a-1', 'a-2', 'a-3'], [barcode, barcode, barcode])).toMatchObject({
      ...{ barcode, skus: ['a-1', 'a-2', 'a-3'], barcodes: [none, none, none] },
      attributes: [none, none, none],
    });
  });

  it('are sent without blanks around them', () => {
    const { sku } = toCatalogBody(snapshot({ variants: [variant({ sku: '\u00a0PAD-1 ' })] }), rules());
    expect(sku).toBe('PAD-1');
  });
});
