import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runDirectory } from '../support/run-directory.js';
import { signed } from '../support/signed-delivery.js';
import { post } from './deliveries.js';
import type { World } from '../support/e2e-world.js';
import { until } from '../support/until.js';
import { openFaultWorld } from './fault-world.js';

const NAME = 'full-disk';
const VOLUME_MB = 220;

function volume(): string {
  return join(runDirectory(), NAME);
}

/** Mounts a small volume. Throws where the system does not allow that. */
function mountVolume(): void {
  mkdirSync(volume(), { recursive: true });
  const options = `size=${String(VOLUME_MB)}m,mode=755`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', volume()], { stdio: 'ignore' });
}

function unmountVolume(): void {
  execFileSync('umount', ['-l', volume()]);
}

/** Mounts the volume and unmounts it at once, because filtered tests run no clean-up. */
function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    mountVolume();
  } catch {
    return false; // a container without the right to mount
  }
  unmountVolume();
  return true;
}

(canMount() ? describe : describe.skip)('a delivery while the database’s disk is full', () => {
  let world: World;
  beforeAll(async () => {
    mountVolume();
    world = await openFaultWorld({ ownCluster: NAME });
    await world.startHere();
  });
  afterAll(async () => {
    await world.end();
    unmountVolume();
  });

  async function deliver(): Promise<{ id: string; status: number | null }> {
    const id = randomBytes(8).toString('hex');
    // Of a size, and not to be compressed away: the table must grow.
    const body = Buffer.from(
      JSON.stringify({ action: 'none', id, ballast: randomBytes(150_000).toString('hex') }),
    );
    return { id, status: await post(world.webhookUrl, body, signed(body, world.webhookSecret)) };
  }

  it('gets 503 and is not acknowledged, and 200 once there is room again', async () => {
    expect((await deliver()).status).toBe(200);
    const ballast = join(volume(), 'ballast');
    await fillUp(ballast);
    const answers: { id: string; status: number | null }[] = [];
    for (let tries = 0; tries < 60 && answers.at(-1)?.status !== 503; tries += 1)
      answers.push(await deliver());
    expect(answers.at(-1)?.status).toBe(503);
    rmSync(ballast);
    await until('it is taken again', async () => (await deliver()).status === 200);
    const rows = await world.rows<{ id: string }>(
      `SELECT convert_from(raw_body, 'UTF8')::jsonb->>'id' AS id FROM webhook_delivery`,
    );
    const stored = new Set(rows.map(({ id }) => id));
    for (const { id, status } of answers) {
      expect([200, 503]).toContain(status);
      if (status === 200) expect(stored.has(id)).toBe(true);
    }
  });
});

async function fillUp(file: string): Promise<void> {
  const handle = await open(file, 'w');
  try {
    for (const chunk of [1_000_000, 4_096])
      await (async () => {
        for (;;) await handle.write(Buffer.alloc(chunk));
      })().catch((error: unknown) => error); // ENOSPC: as it should be
  } finally {
    await handle.close();
  }
}
