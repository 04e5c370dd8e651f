import { describe, expect, it } from '@jest/globals';
import { writeBackSettings } from '../../test/support/product-builders.js';
import type { WriteBackSettings } from '../domain/store-settings.js';
import { valueHash } from '../domain/written-content.js';
import { arrivedParts } from './arrived-content.js';
import { intendedValues, type GeneratedProduct } from './generated-content.js';

const PRODUCT: GeneratedProduct = {
  name: 'Steel bottle',
  description: 'A bottle of steel.',
  html_description: '<p>A bottle of steel.</p>',
  brand: 'Acme',
  sections: [
    { code: 'power', value: '25 W' },
    { code: 'seo_title', value: 'Buy a bottle' },
    { nothing: null },
  ],
};

function fates(over: Partial<WriteBackSettings>, pushed: Record<string, string> = {}): string[] {
  const settings = { ...writeBackSettings, sections: null, ...over };
  return arrivedParts(PRODUCT, intendedValues(PRODUCT, settings), settings, pushed).map(
    ({ from, fate, target, setting }) => `${from}: ${fate} ${target ?? setting ?? ''}`.trim(),
  );
}

describe('the content of a result', () => {
  it('is listed with the setting that would map what is not mapped', () => {
    expect(fates({}, { brand: valueHash('Acme') })).toEqual([
      'name: mapped title',
      'html_description: mapped descriptionHtml',
      'sections.power: not_mapped writeBack.sections.namespace',
      'sections.seo_title: not_mapped writeBack.sections.namespace',
      'sections.nothing: not_mapped writeBack.sections.namespace',
    ]);
  });

  it('is mapped by name of the attribute, however the configuration spells it', () => {
    const fields = { 'sections.SEO title': 'seo.title' } as const;
    expect(fates({ fields })).toContain('sections.seo_title: mapped seo.title');
  });

  it('goes to metafields where a namespace is configured, except values that no metafield can hold', () => {
    const parts = fates({ sections: { namespace: 'catalog' } });
    expect(parts).toContain('sections.power: mapped metafield:catalog.power');
    expect(parts).toContain('sections.nothing: unusable');
  });

  it('leaves out what the catalog returns as store-sync sent it', () => {
    expect(fates({}, { name: valueHash('Steel bottle') }).join()).not.toContain('name: ');
  });

  it('shows the start of each value alone', () => {
    const long: GeneratedProduct = { name: `${'x'.repeat(119)}😀` };
    const [part] = arrivedParts(long, [], writeBackSettings, {});
    expect(part?.excerpt).toHaveLength(120);
    expect(part?.excerpt.isWellFormed()).toBe(true);
  });
});
