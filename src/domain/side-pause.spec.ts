import { describe, expect, it } from '@jest/globals';
import { CodedError } from './errors.js';
import { pauseAfter } from './side-pause.js';

const refused = (status?: number): CodedError =>
  new CodedError('auth', 'access denied', { side: 'store', ...(status !== undefined && { status }) });

describe('the pause after a refusal', () => {
  it.each([
    ['a run', 'run', 401, 'everything', 'credentials_refused'],
    ['a run that may not read', 'run', 403, 'everything', 'credentials_refused'],
    ['a write with a refused token', 'write-back', 401, 'everything', 'credentials_refused'],
    ['a write with a valid token', 'write-back', 403, 'writes', 'write_access_missing'],
    ['a write that the API itself denies', 'write-back', undefined, 'writes', 'write_access_missing'],
  ] as const)('of %s says what is paused and why', (_what, stage, status, scope, code) => {
    expect(pauseAfter(stage, refused(status))).toMatchObject({ side: 'store', scope, code });
  });

  it('of the catalog stops everything', () => {
    const refusedByCatalog = new CodedError('auth', 'access denied', { side: 'catalog' });
    expect(pauseAfter('run', refusedByCatalog)).toMatchObject({ side: 'catalog', scope: 'everything' });
  });

  it('does not follow on a fault that may pass', () => {
    expect(pauseAfter('run', new CodedError('transient', 'reset', { side: 'store' }))).toBeNull();
  });
});
