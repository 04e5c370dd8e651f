import { mkdtemp, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { removeLeftovers } from './leftovers.js';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'leftovers-'));
  await mkdir(join(parent, 'store-export-old'));
  await mkdir(join(parent, 'something-else'));
});
afterEach(() => rm(parent, { recursive: true }));

const user = process.getuid?.();
const inTwoDays = new Date(Date.now() + 2 * 86_400_000);

describe('folders of earlier exports', () => {
  it('stay where they are another user’s', async () => {
    await removeLeftovers(parent, inTwoDays, (user ?? 0) + 1);
    expect(await readdir(parent)).toHaveLength(2);
  });

  it('keep no export from being read where the directory cannot be listed', async () => {
    await expect(removeLeftovers(join(parent, 'missing'), inTwoDays, user)).resolves.toBeUndefined();
  });
});
