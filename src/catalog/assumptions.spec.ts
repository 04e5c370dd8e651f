import { describe, expect, it } from '@jest/globals';
import { DEFAULT_ASSUMPTIONS, assumptionOverridesSchema, resolveAssumptions } from './assumptions.js';

describe('assumptions', () => {
  it('a setting changes its own key and leaves the others', () => {
    const { uploadCsv, deleteProduct } = resolveAssumptions({ uploadCsv: { path: '/csv/' } });
    expect(uploadCsv).toEqual({ ...DEFAULT_ASSUMPTIONS.uploadCsv, path: '/csv/' });
    expect(deleteProduct).toEqual(DEFAULT_ASSUMPTIONS.deleteProduct);
    expect(assumptionOverridesSchema.safeParse({ uploadCsv: { paht: '/csv/' } }).success).toBe(false);
  });
});
