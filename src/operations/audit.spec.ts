import { expect, it } from '@jest/globals';
import { detailLine } from './audit.js';

it.each([
  ['of a request', { kind: ['full'], force: ['true'] }, 'kind full; force true'],
  ['of a command', { full: true, force: false }, 'full true'],
  ['of a bulk change', { dryRun: ['false'], store: ['main'], state: ['ready'] }, 'store main; state ready'],
  ['of several values', { kind: ['a', 'b'] }, 'kind a, b'],
  ['of many values', { field: ['a', 'b', 'c', 'd', 'e'] }, 'field a, b, c and 2 more'],
  ['that are empty', { reason: [''], field: [] }, ''],
  ['of a change without any', {}, ''],
])('the details of a recorded change %s name what was chosen', (_whose, details, line) => {
  expect(detailLine(details)).toBe(line);
});
