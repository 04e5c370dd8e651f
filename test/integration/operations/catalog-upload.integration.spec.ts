import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CodedError } from '../../../src/domain/errors.js';
import { CatalogUploads, type UploadProgress } from '../../../src/operations/catalog-upload.js';
import type { CatalogReadings } from '../../../src/sandbox/catalog/readings.js';
import { SandboxCatalog } from '../../support/sandbox-stages.js';
import { Stages, WORKSPACE } from '../../support/stages.js';

const stages = await Stages.open();
let catalog: SandboxCatalog;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'upload-'));
});
beforeEach(async () => {
  await stages.reset();
});
afterEach(async () => catalog.close());
afterAll(async () => {
  await rm(directory, { recursive: true });
});

const open = async (readings: Partial<CatalogReadings> = {}, bodyLimitBytes = 1_000_000): Promise<void> => {
  catalog = await SandboxCatalog.open(stages, readings, { bodyLimitBytes });
};

async function upload(text: string | null, signal = new AbortController().signal) {
  const file = join(directory, text === null ? 'missing.csv' : 'products.csv');
  if (text !== null) await writeFile(file, text);
  const seen: UploadProgress[] = [];
  const clock = { sleep: (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms / 25)) };
  const uploads = new CatalogUploads(stages.connections, clock);
  return { seen, outcome: uploads.upload({ file, workspace: WORKSPACE }, signal, (step) => seen.push(step)) };
}

describe('the upload of a CSV file', () => {
  it('brings its rows into the catalog, and tells of those that the service refused', async () => {
    await open();
    const { seen, outcome } = await upload('sku,name,url\nA,One,\nB,Two,not an address\n');
    const result = { created: 1, errors: [{ line: 3, fields: { url: [expect.any(String)] } }] };
    expect(await outcome).toMatchObject({
      workspace: WORKSPACE,
      state: 'succeeded',
      status: 'SUCCESS',
      reason: null,
      record: { result },
    });
    expect(seen[0]).toEqual({ taskId: (await outcome).taskId, status: null });
    expect((await catalog.all()).map(({ name }) => name)).toEqual(['One']);
  });

  it('of which no row could be imported has failed, with the reason of the service', async () => {
    await open();
    const { outcome } = await upload('sku,url\nA,not an address\n');
    expect(await outcome).toMatchObject({ state: 'failed', reason: 'No row could be imported.' });
  });

  it.each<[string, string | null, string]>([
    ['that does not exist', null, 'cannot be read'],
    ['that is empty', '', 'is empty'],
    ['that the service refuses', 'nothing\nknown\n', 'refused'],
  ])('%s is an error that names the file', async (_what, text, message) => {
    await open();
    const { outcome } = await upload(text);
    await expect(outcome).rejects.toThrow(message);
    await expect(outcome).rejects.toThrow('.csv');
  });

  it('that is too large says what to do', async () => {
    await open({}, 200);
    const { outcome } = await upload(`sku\n${'A\n'.repeat(500)}`);
    await expect(outcome).rejects.toThrow('split the file');
  });

  it('whose task nobody may read says so, and which task it is', async () => {
    await open({ tasks: 'forbidden' });
    await expect((await upload('sku\nA\n')).outcome).rejects.toThrow(
      /took the file as task \d+, which cannot be read/,
    );
  });

  it('without a task in the answer of the service cannot be followed', async () => {
    await open();
    catalog.client.uploadCsv = async () => ({ taskId: undefined });
    await expect((await upload('sku\nA\n')).outcome).rejects.toThrow('its answer names no task');
  });

  it('is followed on after a fault of the service, which the progress names', async () => {
    await open();
    const ask = catalog.client.getBackgroundTask.bind(catalog.client);
    let asked = 0;
    catalog.client.getBackgroundTask = (id) => {
      asked += 1;
      if (asked === 1) throw new CodedError('transient', 'catalog read task answered 503');
      return ask(id);
    };
    const { seen, outcome } = await upload('sku,name\nA,One\n');
    expect(await outcome).toMatchObject({ state: 'succeeded' });
    expect(seen[1]?.status).toBe('not known at present (catalog read task answered 503)');
  });

  it('that is interrupted names the task that goes on', async () => {
    await open();
    const stop = new AbortController();
    stop.abort();
    await expect((await upload('sku\nA\n', stop.signal)).outcome).rejects.toThrow('goes on with task');
  });

  it('into a workspace that is not configured names those that are', async () => {
    await open();
    const uploads = new CatalogUploads(stages.connections, stages.clock);
    const outcome = uploads.upload(
      { file: 'a.csv', workspace: 'none' },
      new AbortController().signal,
      () => undefined,
    );
    await expect(outcome).rejects.toThrow(`configured: ${WORKSPACE}`);
  });
});
