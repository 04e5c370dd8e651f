import { describe, expect, it } from '@jest/globals';
import { writeBackSettings } from '../../test/support/product-builders.js';
import { arrivedForVariants, arrivedParts } from './arrived-content.js';
import {
  catalogFields,
  holdsNewContent,
  intendedContent,
  type GeneratedCatalogProduct,
} from './catalog-content.js';
import { variantsOf } from './generated-content.js';
import { intendedTranslations } from './translations.js';

const VARIANT = 'shopify:x.myshopify.com:1:';
const times = <T>(count: number, of: (at: number) => T): T[] =>
  Array.from({ length: count }, (_each, at) => of(at));

/** Payloads of up to 1 MB, as JSON: work that grows with the square of them would take minutes. */
const PAYLOADS: Readonly<Record<string, () => GeneratedCatalogProduct>> = {
  'sections of one member each': () => ({ sections: times(100_000, (at) => ({ [at.toString(36)]: 1 })) }),
  'sections with one name': () => ({ sections: times(50_000, (at) => ({ code: 'a', value: at })) }),
  'sections whose names give one key': () => ({
    sections: times(50_000, (at) => ({ [`é${' '.repeat(at % 99)}`]: at })),
  }),
  'sections without a member': () => ({ sections: times(250_000, () => ({})) }),
  'one section of many members': () => ({
    sections: [Object.fromEntries(times(75_000, (at) => [`k${String(at)}`, at]))],
  }),
  'many members in each of the sections': () => ({
    sections: times(500, () => Object.fromEntries(times(200, (at) => [`k${String(at)}`, at]))),
  }),
  'values of many members': () => ({
    sections: times(75, (at) => ({ code: `c${String(at)}`, value: times(2_000, (each) => [each]) })),
  }),
  'the same long value again and again': () => ({
    sections: times(3, (at) => ({ code: `c${String(at)}`, value: '<b>x</b>'.repeat(12_000) })),
  }),
  'long names': () => ({ sections: times(100, (at) => ({ [`${'ü'.repeat(10_000)}${String(at)}`]: at })) }),
  'variants without content': () => ({
    variants: times(20_000, (at) => ({ external_id: `${VARIANT}${String(at)}` })),
  }),
  'variants with sections': () => ({
    variants: times(5_000, (at) => ({
      external_id: `${VARIANT}${String(at)}`,
      sections: times(10, (each) => ({ [`k${String(each)}`]: each })),
    })),
  }),
  'one variant of many sections': () => ({
    variants: times(2, (at) => ({
      external_id: `${VARIANT}${String(at)}`,
      sections: times(50_000, (each) => ({ [each.toString(36)]: 1 })),
    })),
  }),
};

/** Of a slow and busy machine. */
const MOST_CPU_SECONDS = 20;

const SETTINGS = {
  ...writeBackSettings,
  fields: { ...writeBackSettings.fields, 'sections.a': 'vendor' as const, 'sections.b': 'tags' as const },
  attributes: Object.fromEntries(times(50, (at) => [`k${String(at)}`, `custom.k${String(at)}`])),
  variants: { description: 'custom.note', 'sections.k1': 'custom.k1' },
};

describe.each(Object.entries(PAYLOADS))('a result of %s', (_name, payload) => {
  it('is read in time by its length, and gives a bounded number of parts', () => {
    const product = payload();
    const began = process.cpuUsage();
    const held = catalogFields(product);
    const intended = intendedContent(product, SETTINGS);
    const arrived = arrivedParts(product, intended, SETTINGS, {});
    const ofVariants = arrivedForVariants(variantsOf(product), intended, SETTINGS);
    holdsNewContent(product, {}, {}, SETTINGS);
    intendedTranslations(intended, product, 'fr', SETTINGS);
    const seconds = process.cpuUsage(began).user / 1_000_000;
    expect(seconds).toBeLessThan(MOST_CPU_SECONDS);
    expect(Object.keys(held).length).toBeLessThanOrEqual(30_000);
    expect(intended.length).toBeLessThanOrEqual(30_000);
    expect(arrived.length + ofVariants.length).toBeLessThanOrEqual(1_000);
  });
});
