import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { ShopifyOptions } from './options.js';
import { ScriptedStore } from '../../../test/support/store/scripted-store.js';
import { exchangeCode } from './install.js';

/** 0.5 MB that becomes 512 MB: 64 members of 8 MB of blanks, which JSON allows between its values. */
const MEMBER = gzipSync(Buffer.alloc(8_000_000, ' '));
const BOMB = Buffer.concat(Array.from({ length: 64 }, () => MEMBER));

const store = ScriptedStore.forEachTest();
const auth = { clientId: 'id', clientSecret: 'secret-of-the-app' };

function count(options: Partial<ShopifyOptions> = {}): Promise<unknown> {
  return store.parts({ limits: { attempts: 1, requestTimeoutMs: 20_000 }, ...options }).pages.count('');
}

/** The error of the work, and by how much the process grew meanwhile, in bytes. */
async function measured(work: () => Promise<unknown>): Promise<{ error: unknown; grownBy: number }> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const probe = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  const error: unknown = await work().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  clearInterval(probe);
  return { error, grownBy: Math.max(peak, process.memoryUsage.rss()) - before };
}

function answerWithBomb(status: number): void {
  const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' };
  store.answerWith(() => ({ raw: (response) => response.writeHead(status, headers).end(BOMB) }));
}

it.each<[string, number, number, () => Promise<unknown>]>([
  ['of the store', 200, 200, () => count()],
  ['of the store', 500, 200, () => count()],
  ['of its token endpoint', 200, 50, () => count({ auth })],
  ['of its token endpoint', 401, 50, () => count({ auth })],
  [
    'of the exchange of an installation',
    200,
    50,
    () => exchangeCode({ shop: 'demo-store.myshopify.com', endpoint: store.url, ...auth }, 'code'),
  ],
])(
  'an answer of 512 MB in 0.5 MB %s, status %d, is cut off within %d MB',
  async (_whose, status, megabytes, work) => {
    answerWithBomb(status);
    const { error, grownBy } = await measured(work);
    expect(error).toMatchObject({ code: 'transient' });
    expect(grownBy).toBeLessThan(megabytes * 1_000_000);
  },
);

describe('an answer of the store', () => {
  it('with millions of values is refused before it is parsed', async () => {
    const text = `{"data":[${'[],'.repeat(10_000_000)}[]]}`;
    store.answerWith(() => ({ text, headers: { 'content-type': 'application/json' } }));
    const { error, grownBy } = await measured(() => count());
    expect(error).toMatchObject({ code: 'transient' });
    expect(grownBy).toBeLessThan(250_000_000);
  });

  it('that never ends is given up after the time limit of the whole answer', async () => {
    let trickle: NodeJS.Timeout | undefined;
    store.answerWith(() => ({
      raw: (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        trickle = setInterval(() => response.write(' '), 10);
      },
    }));
    const limits = { attempts: 1, requestTimeoutMs: 300 };
    await expect(count({ limits })).rejects.toMatchObject({ code: 'transient' });
    clearInterval(trickle);
  });
});
