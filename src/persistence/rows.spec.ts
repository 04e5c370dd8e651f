import { describe, expect, it } from '@jest/globals';
import { StoreStateEntity } from './entities/index.js';
import { parsedRow, rowOf } from './rows.js';

describe('the row of an entity', () => {
  const row = rowOf(StoreStateEntity, ['store', 'pausedSince', 'pauses']);
  const found = { store: 'main', paused_since: null, pauses: 2, watermark: new Date() };

  it('has the columns that it names, inherited ones too, under the names of the properties', () => {
    expect(parsedRow(row, found)).toEqual({ store: 'main', pausedSince: null, pauses: 2 });
  });

  it.each([
    ['that is missing', { store: undefined }, /column store: .*undefined/],
    ['that is NULL and must not be', { pauses: null }, /column pauses: .*null/],
    ['of another type', { paused_since: '2026-11-20' }, /column pausedSince: .*string/],
  ])('names a column %s, and what to do', (_which, other, message) => {
    const parse = () => parsedRow(row, { ...found, ...other });
    expect(parse).toThrow(message);
    expect(parse).toThrow(/store-sync migrate/);
  });
});
