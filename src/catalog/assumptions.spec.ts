import { describe, expect, it } from '@jest/globals';
import {
  ASSUMPTIONS,
  DEFAULT_ASSUMPTIONS,
  assumptionOverridesSchema,
  resolveAssumptions,
} from './assumptions.js';

describe('assumptions', () => {
  it('lists every setting under "assumptions" that the schema has, and no other', () => {
    const named = ASSUMPTIONS.map(({ setting }) => /^assumptions\.(\w+)/.exec(setting ?? '')?.[1]).filter(
      (name) => name !== undefined,
    );
    expect([...new Set(named)].sort()).toEqual(Object.keys(assumptionOverridesSchema.shape).sort());
  });

  it('a setting changes its own key and leaves the others', () => {
    const { uploadCsv, deleteProduct } = resolveAssumptions({ uploadCsv: { path: '/csv/' } });
    expect(uploadCsv).toEqual({ ...DEFAULT_ASSUMPTIONS.uploadCsv, path: '/csv/' });
    expect(deleteProduct).toEqual(DEFAULT_ASSUMPTIONS.deleteProduct);
    expect(assumptionOverridesSchema.safeParse({ uploadCsv: { paht: '/csv/' } }).success).toBe(false);
  });
});
