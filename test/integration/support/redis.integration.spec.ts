import { afterEach, describe, expect, it } from '@jest/globals';
import { redisAvailable, redisInstalled, startTestRedis } from '../../support/redis.js';

const path = process.env['PATH'];
const required = process.env['STORE_SYNC_TEST_REDIS'];
afterEach(() => {
  process.env['PATH'] = path;
  if (required === undefined) delete process.env['STORE_SYNC_TEST_REDIS'];
  else process.env['STORE_SYNC_TEST_REDIS'] = required;
});

describe('a machine without redis-server', () => {
  it('rejects the start of a test Redis instead of ending the process', async () => {
    process.env['PATH'] = '/nowhere';
    expect(redisInstalled()).toBe(false);
    await expect(startTestRedis()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('skips the suites that need Redis, and fails them where Redis is required', () => {
    process.env['PATH'] = '/nowhere';
    delete process.env['STORE_SYNC_TEST_REDIS'];
    expect(redisAvailable()).toBe(false);
    process.env['STORE_SYNC_TEST_REDIS'] = 'required';
    expect(() => redisAvailable()).toThrow('redis-server is not installed');
  });
});
