import { expect, it } from '@jest/globals';
import { nearestName } from './suggestion.js';

it.each([
  ['scedule', ['schedule', 'shop'], 'schedule'],
  ['Schedule', ['schedule'], 'schedule'],
  ['publicURL', ['publicUrl'], 'publicUrl'],
  ['prot', ['port', 'host'], 'port'],
  ['colour', ['port', 'host'], null],
  ['x', ['shop'], null],
])('the nearest name of %s is found', (given, known, nearest) => {
  expect(nearestName(given, known)).toBe(nearest);
});
