import { describe, expect, it } from '@jest/globals';
import { scopesFor } from './install.js';

describe('the scopes that the installation asks for', () => {
  const fields = { name: 'title' };

  it('are those that the mapped fields need', () => {
    expect(scopesFor({ locales: [], fields })).toEqual(['read_products', 'write_products']);
    expect(scopesFor({ locales: [], fields: { ...fields, image_alts: 'images[].alt' } })).toContain(
      'write_files',
    );
    expect(scopesFor({ locales: ['fr'], fields })).toEqual(
      expect.arrayContaining(['read_locales', 'read_translations', 'write_translations']),
    );
  });
});
