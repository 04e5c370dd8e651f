import { describe, expect, it } from '@jest/globals';
import { Redactor } from './redaction.js';

describe('Redactor', () => {
  it('takes secrets out in every spelling, the longest first', () => {
    const redactor = new Redactor();
    redactor.addFixed('pa"ss/word', undefined, '', 'abc');
    redactor.add('token', 'token-long', null);
    expect(redactor.redact('pa"ss/word pa\\"ss/word pa%22ss%2Fword token-long token abc')).toBe(
      '[redacted] [redacted] [redacted] [redacted] [redacted] abc',
    );
  });

  it('forgets the oldest tokens and never the fixed ones', () => {
    const redactor = new Redactor();
    redactor.addFixed('fixed-secret');
    for (let n = 0; n < 200; n += 1) redactor.add(`rotating-${String(n)}-`);
    expect(redactor.redact('fixed-secret rotating-199- rotating-0-')).toBe(
      '[redacted] [redacted] rotating-0-',
    );
  });

  it('an excerpt is one bounded line, redacted before it is cut', () => {
    const redactor = new Redactor();
    redactor.addFixed('s3cr3t-s3cr3t');
    expect(redactor.excerpt('  a\r\n\tb\u0000\u200b\u2028c ')).toBe('a b c');
    expect(redactor.excerpt(`${'x'.repeat(15)}s3cr3t-s3cr3t`, 20)).toBe(`${'x'.repeat(15)}[red…`);
  });
});
