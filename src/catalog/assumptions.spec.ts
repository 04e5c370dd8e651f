import { describe, expect, it } from '@jest/globals';
import {
  ASSUMPTIONS,
  DEFAULT_ASSUMPTIONS,
  assumptionOverridesSchema,
  resolveAssumptions,
} from './assumptions.js';

describe('assumptions', () => {
  it('every one has an id of its own, a default and the setting that changes it, or why none is needed', () => {
    expect(new Set(ASSUMPTIONS.map(({ id }) => id)).size).toBe(ASSUMPTIONS.length);
    for (const { what, default: value, setting } of ASSUMPTIONS) {
      expect(what).not.toBe('');
      expect(value).not.toBe('');
      expect(setting).toMatch(/^(workspaces\.<name>\.\w|none needed: )/);
    }
  });

  it('every setting under "assumptions" is one that the schema knows, and every known one is in the table', () => {
    const named = ASSUMPTIONS.map(({ setting }) => /\.assumptions\.(\w+)/.exec(setting)?.[1]).filter(
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
