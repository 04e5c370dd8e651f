import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import type { CompletedExport } from '../../../src/store/shopify/api-types.js';
import type { ProductSnapshot } from '../../../src/domain/snapshot.js';
import { type ScriptedStore, snapshots } from './scripted-store.js';

export const EXPORT_HANDLE = 'gid://shopify/BulkOperation/7';
export const EXPORT_FILE = '/files/export.jsonl?signature=abc';

/** Exports of a store that are read by way of a directory of the test, which must be empty again at its end. */
export class SpilledExports {
  directory = '';

  constructor(private readonly store: ScriptedStore) {
    beforeEach(async () => {
      this.directory = await mkdtemp(join(tmpdir(), 'export-spec-'));
    });
    afterEach(async () => {
      expect(await readdir(this.directory)).toEqual([]);
      await rm(this.directory, { recursive: true });
    });
  }

  /** What the store says of an export with these lines. */
  completed(nodes: readonly object[], overrides: Partial<CompletedExport> = {}): CompletedExport {
    const rootObjects = nodes.filter((node) => !('__parentId' in node)).length;
    const url = `${this.store.url}${EXPORT_FILE}`;
    return { handle: EXPORT_HANDLE, url, objects: nodes.length, rootObjects, ...overrides };
  }

  batches(job: CompletedExport, limits = {}, signal?: AbortSignal) {
    return this.store.parts({ spillDir: this.directory, limits }).exports.read(job, signal);
  }

  read(job: CompletedExport, limits = {}): Promise<ProductSnapshot[]> {
    return snapshots(this.batches(job, limits));
  }
}
