import { describe, expect, it } from '@jest/globals';
import type { CatalogProductBody } from '../domain/catalog-product.js';
import {
  bareBody,
  fieldsThatClear,
  identifierFields,
  orphanReleaseBody,
  refusedIdentifiers,
  releaseBody,
  withStaleCleared,
} from './identifier-refusals.js';

const standalone: CatalogProductBody = { external_id: 'p', name: 'Chair', sku: 'S', barcode: 'B' };
const model: CatalogProductBody = {
  external_id: 'p',
  name: 'Chair',
  variants: [
    { external_id: 'p:1', name: 'Red', sku: 'S1' },
    { external_id: 'p:2', name: 'Blue', sku: 'S2', barcode: 'B2' },
    { external_id: 'p:3', name: 'Green' },
  ],
};
const sku = (owner: string, value: string) => ({ kind: 'sku' as const, value, owner });

describe('refusedIdentifiers', () => {
  it.each([
    ['the product’s own', standalone, { sku: ['taken'] }, ['p sku S']],
    ['several', standalone, { sku: ['taken'], barcode: ['taken'] }, ['p sku S', 'p barcode B']],
    ['one variant’s, by its place', model, { 'variants.1.barcode': ['taken'] }, ['p:2 barcode B2']],
    ['all of one variant', model, { 'variants.1': ['taken'] }, ['p:2 sku S2', 'p:2 barcode B2']],
    ['all of all variants', model, { variants: ['taken'] }, ['p:1 sku S1', 'p:2 sku S2', 'p:2 barcode B2']],
  ])('names %s', (_what, body, fields, expected) => {
    const refused = refusedIdentifiers(body, fields);
    expect(refused.map(({ owner, kind, value }) => `${owner} ${kind} ${value}`)).toEqual(expected);
    expect(refused.every(({ reason }) => reason.endsWith(': taken'))).toBe(true);
  });

  it('gives every message of the service as the reason, and names no holder', () => {
    expect(refusedIdentifiers(standalone, { sku: ['Must be unique.', 'Is taken by 7.'] })).toEqual([
      {
        ...sku('p', 'S'),
        reason: 'the catalog refused SKU S: Must be unique. Is taken by 7.',
        holder: { whose: 'refused', externalIds: [], catalogId: null },
      },
    ]);
  });

  it.each([
    ['no fields', standalone, undefined],
    ['a variant of a product without variants', standalone, { 'variants.0.sku': ['taken'] }],
    ['the entry of another list', model, { 'images.0.sku': ['taken'] }],
    ['another field', standalone, { name: ['too long'] }],
    ['another field besides', standalone, { sku: ['taken'], name: ['too long'] }],
    ['an identifier that was not sent', standalone, { mpn: ['taken'] }],
    ['a variant that was not sent', model, { 'variants.7.sku': ['taken'] }],
    ['a variant without identifiers', model, { 'variants.2': ['taken'] }],
    ['another field of a variant', model, { 'variants.0.name': ['too long'] }],
    ['something deeper', model, { 'variants.0.sku.0': ['taken'] }],
    ['something below an identifier', standalone, { 'sku.0': ['taken'] }],
  ])('names nothing for %s', (_what, body, fields) => {
    expect(refusedIdentifiers(body, fields)).toEqual([]);
  });
});

describe('a creation without proof', () => {
  it('holds no identifier, and keeps everything else', () => {
    expect(bareBody(standalone)).toEqual({ external_id: 'p', name: 'Chair' });
    expect(bareBody(model).variants).toEqual([
      { external_id: 'p:1', name: 'Red' },
      { external_id: 'p:2', name: 'Blue' },
      { external_id: 'p:3', name: 'Green' },
    ]);
  });

  it.each([
    [standalone, ['sku', 'barcode']],
    [model, ['variants']],
    [{ external_id: 'p', name: 'Chair', variants: [{ external_id: 'p:1' }] }, []],
    [{ external_id: 'p', sku: '' }, []],
  ] as const)('is completed by the fields that carry identifiers', (body, fields) => {
    expect(identifierFields(body)).toEqual(fields);
  });
});

describe('releaseBody', () => {
  it.each([
    ['nothing is stale', model, []],
    ['the product’s own identifier only changes', standalone, [sku('p', 'OLD')]],
    ['a variant’s identifier only changes', model, [sku('p:1', 'OLD')]],
  ])('is null when %s: the update itself says all', (_what, body, stale) => {
    expect(releaseBody(body, stale)).toBeNull();
  });

  it('takes the identifier from a variant that is gone, and names the variants that stay', () => {
    expect(releaseBody(model, [sku('p:9', 'S9')])).toEqual({
      variants: [
        { external_id: 'p:1', name: 'Red' },
        { external_id: 'p:2', name: 'Blue' },
        { external_id: 'p:3', name: 'Green' },
        { external_id: 'p:9', sku: null },
      ],
    });
  });

  it('frees the SKU that goes from the last variants to the product itself', () => {
    expect(releaseBody(standalone, [sku('p:1', 'S'), sku('p:2', 'S2')])).toEqual({
      variants: [
        { external_id: 'p:1', sku: null },
        { external_id: 'p:2', sku: null },
      ],
    });
  });

  it('frees the product’s own SKU that goes to a variant', () => {
    expect(releaseBody(model, [sku('p', 'S1')])).toEqual({ sku: null });
  });

  it('frees SKUs that two variants exchange', () => {
    expect(releaseBody(model, [sku('p:1', 'S2')])?.['variants']).toEqual([
      { external_id: 'p:1', name: 'Red', sku: null },
      { external_id: 'p:2', name: 'Blue' },
      { external_id: 'p:3', name: 'Green' },
    ]);
  });
});

describe('withStaleCleared', () => {
  const held = (owner: string, value: string) => ({ kind: 'sku' as const, value, owner });
  const body = {
    external_id: 'p',
    name: 'P',
    variants: [
      { external_id: 'p:1', name: 'S' },
      { external_id: 'p:2', name: 'M', sku: 'NEW' },
    ],
  };

  it('clears what a variant held and nothing replaces', () => {
    const stale = [held('p:1', 'OLD-1'), held('p:2', 'OLD-2')];
    expect(withStaleCleared({ variants: body.variants }, body, stale)).toEqual({
      variants: [{ external_id: 'p:1', name: 'S', sku: null }, body.variants[1]],
    });
  });

  it('clears what the product itself held, also where the field is not among the changes', () => {
    expect(withStaleCleared({ name: 'P' }, body, [held('p', 'OLD')])).toEqual({ name: 'P', sku: null });
    const own = { ...body, sku: 'NEW' };
    expect(withStaleCleared({ sku: 'NEW' }, own, [held('p', 'OLD')])).toEqual({ sku: 'NEW' });
  });

  it('leaves changes without variants alone: they are not sent', () => {
    expect(withStaleCleared({ name: 'P' }, body, [held('p:1', 'OLD')])).toEqual({ name: 'P' });
  });
});

describe('orphanReleaseBody', () => {
  it('clears what the product and its variants hold', () => {
    expect(
      orphanReleaseBody('p', [sku('p', 'S'), sku('p:1', 'S1'), { ...sku('p:1', 'B1'), kind: 'barcode' }]),
    ).toEqual({
      sku: null,
      variants: [{ external_id: 'p:1', sku: null, barcode: null }],
    });
  });

  it('names no variants where none holds anything', () => {
    expect(orphanReleaseBody('p', [sku('p', 'S')])).toEqual({ sku: null });
  });
});

describe('fieldsThatClear', () => {
  it('adds the variants where only they can clear what a variant that stays holds', () => {
    expect(fieldsThatClear(model, ['brand'], [sku('p:1', 'OLD')])).toEqual(['brand', 'variants']);
    expect(fieldsThatClear(model, ['variants'], [sku('p:1', 'OLD')])).toEqual(['variants']);
  });

  it('adds nothing for what the product itself held, or a variant that left', () => {
    expect(fieldsThatClear(model, ['brand'], [sku('p', 'OLD'), sku('p:9', 'OLD')])).toEqual(['brand']);
    expect(fieldsThatClear(standalone, ['brand'], [sku('p:1', 'OLD')])).toEqual(['brand']);
  });
});
