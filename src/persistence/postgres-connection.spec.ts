import { describe, expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import { type CodedError, isCoded } from '../domain/errors.js';
import { createPool, databaseLabel, parseDatabaseUrl } from './postgres-connection.js';

describe('a database URL', () => {
  it.each([
    ['postgres://u:p@db:5433/shop', { host: 'db', port: 5433, database: 'shop', user: 'u', password: 'p' }],
    ['postgresql://db/shop', { host: 'db', port: 5432, database: 'shop', user: '', password: '' }],
    [
      'postgres://u:a%40b@[::1]/s?sslmode=require',
      { host: '::1', port: 5432, database: 's', user: 'u', password: 'a@b' },
    ],
  ])('%s is read in its parts', (url, parts) => {
    expect(parseDatabaseUrl(url)).toEqual(parts);
  });

  it.each([
    'canary',
    'mysql://u:canary@db/shop',
    'postgres://u:canary@db/',
    'postgres://u:canary%zz@db/shop',
    'postgres://u:canary@db:x/shop',
  ])('is refused as misconfigured without being quoted: %s', (url) => {
    const error = (() => {
      try {
        return parseDatabaseUrl(url);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(isCoded(error, 'misconfigured')).toBe(true);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('canary"');
    expect((error as CodedError).message).not.toContain('canary');
  });

  it('is shown to people without its credentials', () => {
    expect(databaseLabel('postgres://user:canary@db/shop')).toBe('db:5432/shop');
  });
});

describe('a pool', () => {
  it('gives up on a server that accepts and says nothing, and does not say the password', async () => {
    const { createServer } = await import('node:net');
    const mute = createServer();
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const address = mute.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const pool = createPool({ url: `postgres://u:canary@127.0.0.1:${port}/x`, onError: () => undefined });
    const startedAt = performance.now();
    const error: unknown = await pool.query('SELECT 1').catch((thrown: unknown) => thrown);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(inspect(error, { depth: 9 })).not.toContain('canary');
    await pool.end();
    mute.close();
  });
});
