import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CodedError } from '../domain/errors.js';
import { reportError } from './report.js';

const before = process.env['LOG_LEVEL'];
const written: string[] = [];
beforeEach(() => {
  written.length = 0;
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
});
afterEach(() => {
  jest.restoreAllMocks();
  if (before === undefined) delete process.env['LOG_LEVEL'];
  else process.env['LOG_LEVEL'] = before;
});

describe('the error of a command', () => {
  it.each(['', 'info', 'nonsense'])('is one line at the level %j', (level) => {
    process.env['LOG_LEVEL'] = level;
    reportError(new CodedError('not_found', 'no run r1'));
    expect(written).toEqual(['store-sync: no run r1\n']);
  });

  it('obeys nothing that a store put into it', () => {
    reportError(new CodedError('transient', 'the shop failed: \u001b[2J\u009b31mall is well'));
    expect(written).toEqual(['store-sync: the shop failed:  [2J 31mall is well\n']);
  });

  it.each(['debug', 'DEBUG', 'trace'])('has its stack at the level %j', (level) => {
    process.env['LOG_LEVEL'] = level;
    reportError(new CodedError('not_found', 'no run r1'));
    expect(written.join('')).toMatch(/no run r1\n +at /);
  });
});
