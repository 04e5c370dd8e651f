import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { productLines } from '../../test/bench/products.js';
import { loggerTo, type LogLine } from '../../test/support/logs.js';
import { until } from '../../test/support/until.js';
import { storeSchema } from '../config/store-schema.js';
import type { WrittenContent } from '../domain/written-content.js';
import { effectiveSnapshot, sourceFingerprint, sourceRules } from '../planner/source.js';
import { valueHash } from '../domain/written-content.js';
import { ExportedProduct } from '../store/shopify/exported-product.js';
import { FingerprintShare, FingerprintThread, type ThreadProgram } from './fingerprint-thread.js';

const SHOP = 'demo.myshopify.com';
const SCOPE = { shop: SHOP, variantMetafields: [], locales: [] };
const settings = storeSchema.parse({ workspace: 'default', shop: SHOP, auth: { accessToken: 'token' } });
const rules = sourceRules(SHOP, settings.mapping, settings.writeBack);
const LOADER = new URL('../../test/support/typescript-loader.mjs', import.meta.url);
const SOURCES: ThreadProgram = {
  file: new URL('fingerprint-worker.ts', import.meta.url),
  execArgv: ['--no-warnings', '--import', LOADER.href],
};

let folder: string;
let thread: FingerprintThread | null = null;
const lines: LogLine[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fingerprint-thread-'));
});
afterEach(async () => {
  await thread?.onApplicationShutdown();
  lines.length = 0;
});
afterAll(async () => rm(folder, { recursive: true }));

async function started(program: ThreadProgram, limitMs?: number): Promise<FingerprintThread> {
  thread = new FingerprintThread(
    loggerTo((line) => lines.push(line)),
    [program],
    limitMs,
    2,
  );
  thread.enter();
  const { isReady } = thread;
  expect(isReady).toBe(false);
  return until('the thread is ready', () => (thread?.isReady === true ? thread : null));
}

async function programOf(name: string, text: string): Promise<ThreadProgram> {
  const path = join(folder, `${name}.mjs`);
  await writeFile(path, `import { parentPort } from 'node:worker_threads';\n${text}`);
  return { file: pathToFileURL(path), execArgv: [] };
}

/** Says that it is ready, and does this with each order. */
const doing = (name: string, onOrder: string): Promise<ThreadProgram> =>
  programOf(
    name,
    `parentPort.on('message', (order) => { ${onOrder} });
     parentPort.postMessage({ slot: null, fingerprints: [] });`,
  );

function productOf(id: number, edit = (text: string): string => text): ExportedProduct {
  const bytes = Buffer.from(edit(productLines(id).join('\n')));
  return new ExportedProduct(`gid://shopify/Product/${String(id)}`, bytes, [1], SCOPE);
}

function shareOf(
  [first, ...others]: readonly [ExportedProduct, ...ExportedProduct[]],
  written: WrittenContent | null = null,
): FingerprintShare {
  const toFingerprint = ({ storeId, unparsed }: ExportedProduct) => ({ storeId, unparsed, written });
  return new FingerprintShare({ rules, filter: settings.filter }, [
    toFingerprint(first),
    ...others.map(toFingerprint),
  ]);
}

describe('the thread', () => {
  it('computes the fingerprints that the main thread would', async () => {
    const ready = await started(SOURCES);
    const shares = Array.from({ length: 9 }, (_, index) =>
      shareOf([productOf(3 * index + 1), productOf(3 * index + 2), productOf(3 * index + 3)]),
    );
    for (const share of shares) ready.add(share);
    const found = await Promise.all(shares.map((share) => ready.answer(share)));
    const expected = Array.from({ length: 27 }, (_, index) =>
      sourceFingerprint(effectiveSnapshot(productOf(index + 1).snapshot(), null), rules),
    );
    expect(found.flat()).toEqual(expected);
    expect(new Set(expected).size).toBe(27);
  });

  it('takes what store-sync wrote for what the merchant had', async () => {
    const ready = await started(SOURCES);
    const product = productOf(1);
    const ours = valueHash(product.snapshot().title);
    const written = { title: { ours, past: [], replaced: 'The merchant’s own title' } };
    const share = shareOf([product], written);
    ready.add(share);
    const expected = sourceFingerprint(effectiveSnapshot(product.snapshot(), written), rules);
    expect(await ready.answer(share)).toEqual([expected]);
  });

  it('leaves a product to the main thread that cannot be parsed or is out of scope, and takes those beside it', async () => {
    const ready = await started(SOURCES);
    const share = shareOf([
      productOf(1),
      productOf(2, (text) => text.slice(0, -5)),
      productOf(3, (text) => text.replace('"ACTIVE"', '"ARCHIVED"')),
      new ExportedProduct('gid://shopify/Product/9', productOf(4).unparsed.bytes as Buffer, [1], SCOPE),
      productOf(5),
    ]);
    ready.add(share);
    expect(await ready.answer(share)).toEqual([expect.any(String), null, null, null, expect.any(String)]);
    expect(lines).toEqual([]);
  });

  it('knows no variable of the environment and no setting of the process', async () => {
    process.env['STORE_SYNC_CANARY'] = 'shpat_canary';
    try {
      const program = await doing(
        'environment',
        `parentPort.postMessage({ slot: order.slot, fingerprints: [JSON.stringify([process.env, process.execArgv])] });`,
      );
      const ready = await started(program);
      const share = shareOf([productOf(1)]);
      ready.add(share);
      expect(await ready.answer(share)).toEqual(['[{},[]]']);
    } finally {
      delete process.env['STORE_SYNC_CANARY'];
    }
  });

  it('gives back what it has not begun, and nothing else', async () => {
    const ready = await started(await doing('silent', ''));
    const shares = Array.from({ length: 4 }, (_, index) => shareOf([productOf(index + 1)]));
    for (const share of shares) ready.add(share);
    expect(shares.map((share) => ready.takeBack(share))).toEqual([false, false, true, true]);
  });
});

describe('a thread that fails', () => {
  const failures: readonly (readonly [string, string, string])[] = [
    ['throws', `throw new Error('no memory');`, 'no memory'],
    ['ends', `process.exit(0);`, 'it ended'],
    ['does not reply', '', 'no answer within 100 ms'],
  ];

  it.each(failures)('leaves its products to the main thread when it %s', async (name, onOrder, reason) => {
    const ready = await started(await doing(name.replaceAll(' ', '-'), onOrder), 100);
    const shares = Array.from({ length: 4 }, (_, index) => shareOf([productOf(index + 1), productOf(9)]));
    for (const share of shares) ready.add(share);
    const answers = await Promise.all(shares.map((share) => ready.answer(share)));
    expect(answers).toEqual(shares.map(() => [null, null]));
    expect(ready.isReady).toBe(false);
    expect(lines).toEqual([
      { level: 'warn', fields: { reason: expect.stringContaining(reason) }, message: expect.any(String) },
    ]);
  });

  it('is reported once when it cannot be started, and gets no products', async () => {
    const { file } = await doing('options', '');
    const none = new FingerprintThread(
      loggerTo((line) => lines.push(line)),
      [{ file, execArgv: ['--no-such-option'] }],
    );
    none.enter();
    expect(none.isReady).toBe(false);
    expect(lines).toMatchObject([
      { level: 'warn', fields: { reason: expect.stringContaining('--no-such-option') } },
    ]);
    await none.leave();
  });

  it('is started again by the next run', async () => {
    const ready = await started(await doing('again', `process.exit(0);`));
    const share = shareOf([productOf(1)]);
    ready.add(share);
    await ready.answer(share);
    ready.enter();
    await until('the thread is ready again', () => ready.isReady);
  });
});

describe('the end of the thread', () => {
  it('comes with the last run that uses it', async () => {
    const ready = await started(await doing('users', ''));
    ready.enter();
    await ready.leave();
    expect(ready.isReady).toBe(true);
    await ready.leave();
    expect(ready.isReady).toBe(false);
  });

  it('leaves what it had to the main thread', async () => {
    const ready = await started(await doing('end', ''));
    const shares = Array.from({ length: 4 }, (_, index) => shareOf([productOf(index + 1)]));
    for (const share of shares) ready.add(share);
    await ready.leave();
    expect(await Promise.all(shares.map((share) => ready.answer(share)))).toEqual(shares.map(() => [null]));
    expect(lines).toEqual([]);
  });

  it('is all that there is where the program is not built', () => {
    const file = pathToFileURL(join(folder, 'missing.mjs'));
    const none = new FingerprintThread(
      loggerTo((line) => lines.push(line)),
      [{ file, execArgv: [] }],
    );
    none.enter();
    expect(none.isReady).toBe(false);
    expect(lines).toEqual([]);
  });

  it('is all that there is on a single processor', async () => {
    const program = { ...SOURCES, execArgv: ['--no-such-option'] };
    const none = new FingerprintThread(
      loggerTo((line) => lines.push(line)),
      [program],
      undefined,
      1,
    );
    none.enter();
    await none.leave();
    expect(lines).toEqual([]);
  });
});
