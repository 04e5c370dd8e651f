import { describe, expect, it } from '@jest/globals';
import { CodedError } from './errors.js';
import { pauseAfter } from './store-health.js';

const refused = (status?: number): CodedError =>
  new CodedError('auth', 'access denied', status === undefined ? {} : { status });

describe('the pause after a refusal', () => {
  it.each([
    ['a run', 'run', 401, 'everything', 'credentials_refused'],
    ['a run that may not read', 'run', 403, 'everything', 'credentials_refused'],
    ['a write with a refused token', 'write-back', 401, 'everything', 'credentials_refused'],
    ['a write with a valid token', 'write-back', 403, 'writes', 'write_access_missing'],
    ['a write that the API itself denies', 'write-back', undefined, 'writes', 'write_access_missing'],
  ] as const)('of %s says what is paused and why', (_what, stage, status, scope, code) => {
    expect(pauseAfter(stage, refused(status))).toMatchObject({ scope, code });
  });
});
