import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { ownPort } from '../../test/support/ports.js';
import { freePort } from './free-port.js';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function listenOn(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => void server.close());
}

/** The number that makes freePort look at this port. */
const choosing = (port: number): number => (port - 15_432 + 0.5) / 16_000;

/** Returns these numbers in turn, the last one again and again. */
function inTurn(...numbers: readonly number[]): () => number {
  let next = 0;
  return () => numbers[Math.min(next++, numbers.length - 1)] ?? 0;
}

describe('a free port', () => {
  it.each([0, 0.5, 0.999_99])('is below those of outgoing connections: %d', async (chosen) => {
    // Another program may have one of these, so that the next is looked at.
    const port = await freePort({ random: inTurn(chosen, Math.random()) });
    expect(port).toBeGreaterThanOrEqual(15_432);
    expect(port).toBeLessThan(32_768);
  });

  it('is one on which nobody listens', async () => {
    const [taken, free] = [await ownPort(), await ownPort()];
    await listenOn(taken);
    expect(await freePort({ random: inTurn(choosing(taken), choosing(free)) })).toBe(free);
  });

  it('is the preferred one, unless somebody listens on it', async () => {
    const [preferred, other] = [await ownPort(), await ownPort()];
    const random = (): number => choosing(other);
    expect(await freePort({ preferred, random })).toBe(preferred);
    await listenOn(preferred);
    expect(await freePort({ preferred, random })).toBe(other);
  });

  it('is one that the caller may take', async () => {
    const [first, second] = [await ownPort(), await ownPort()];
    const random = inTurn(choosing(first), choosing(second));
    expect(await freePort({ random, mayTake: async (port) => Promise.resolve(port !== first) })).toBe(second);
  });

  it('is given up after fifty that are taken', async () => {
    const taken = await ownPort();
    await listenOn(taken);
    let asked = 0;
    const random = (): number => {
      asked += 1;
      return choosing(taken);
    };
    await expect(freePort({ random })).rejects.toMatchObject({
      code: 'transient',
      message: 'no free port on 127.0.0.1',
    });
    expect(asked).toBe(50);
  });
});

it('a port of a test’s own is below those of outgoing connections, and given once in a run', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, ownPort));
  expect(new Set(ports).size).toBe(50);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});
