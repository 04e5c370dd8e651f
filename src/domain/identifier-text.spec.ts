import { describe, expect, it } from '@jest/globals';
import { foldedIdentifier, identifierText, isUnseen } from './identifier-text.js';

describe('an identifier', () => {
  it.each([
    ['PAD-1 ', 'PAD-1'],
    ['\t\u00a0PAD 1\u2003\u3000\r\n', 'PAD 1'],
    ['\u0085\u200b\ufeffPAD\u00ad', 'PAD'],
    ['PAD-1', 'PAD-1'],
  ])('%j is sent as %j', (value, text) => {
    expect(identifierText(value)).toBe(text);
  });

  it.each(['', ' ', '\u00a0\u200e\u200e', '\u3164', '\u2800', null, undefined])('%j is none', (value) => {
    expect(identifierText(value)).toBeNull();
  });

  it('equals another one that differs in letter case and outer blanks only', () => {
    expect(foldedIdentifier(' Straße-ä1')).toBe(foldedIdentifier('STRAßE-Ä1 '));
    expect(foldedIdentifier('PAD-1')).not.toBe(foldedIdentifier('PAD 1'));
  });

  it('is folded to a text that an index takes, however long it is', () => {
    const long = 'SKU-'.repeat(1000);
    expect(foldedIdentifier(long).length).toBeLessThan(100);
    expect(foldedIdentifier(foldedIdentifier(long))).toBe(foldedIdentifier(` ${long.toLowerCase()}`));
    expect(foldedIdentifier(`${long}1`)).not.toBe(foldedIdentifier(`${long}2`));
  });
});

it('a text is unseen when all of its signs are', () => {
  expect(['', ' \u200b', '\u2800\u3164'].map(isUnseen)).toEqual([true, true, true]);
  expect(isUnseen(' \u200b.')).toBe(false);
});
