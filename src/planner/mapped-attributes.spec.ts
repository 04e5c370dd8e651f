import { describe, expect, it } from '@jest/globals';
import type { WriteBackSettings } from '../domain/store-settings.js';
import { writeBackSettings } from '../../test/support/product-builders.js';
import { intendedValues } from './generated-content.js';

/** From where to where each value of the sections is written. */
function placesOf(
  sections: readonly Record<string, unknown>[],
  settings: Partial<WriteBackSettings>,
): [string, string][] {
  const values = intendedValues({ sections }, { ...writeBackSettings, ...settings });
  return values.map(({ from, target }) => [from, target]);
}

describe('the namespace of sections', () => {
  it('is the rest: an attribute that fields or attributes map is written once, to the place that they name', () => {
    const sections = [{ code: 'SEO Title', value: 'A bottle' }, { Material: 'Steel' }, { care: 'Wash' }];
    const settings = {
      fields: { 'sections.seo_title': 'seo.title' as const, 'sections.unknown': 'productType' as const },
      attributes: { Material: 'custom.material' },
      sections: { namespace: 'ours' },
    };
    expect(placesOf(sections, settings)).toEqual([
      ['sections.seo_title', 'seo.title'],
      ['sections.material', 'metafield:custom.material'],
      ['sections.care', 'metafield:ours.care'],
    ]);
  });

  it('takes no attribute that both fields and attributes map: it is written to those two places', () => {
    const settings = {
      fields: { 'sections.care': 'productType' as const },
      attributes: { care: 'custom.care' },
      sections: { namespace: 'ours' },
    };
    expect(placesOf([{ care: 'Wash' }], settings)).toEqual([
      ['sections.care', 'productType'],
      ['sections.care', 'metafield:custom.care'],
    ]);
  });
});
