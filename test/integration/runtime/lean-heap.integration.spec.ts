import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Collections of the whole heap while these statements run, in a process of its own: V8's settings are those of a process. */
function collections(statements: string): number {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...[
        // As `npm start` runs it, but smaller: what is in the nursery blurs the use of the heap.
        '--max-semi-space-size=1',
        '--no-warnings',
        '--import',
        './test/support/typescript-loader.mjs',
        '--input-type=module',
        '--eval',
      ],
      `import { GCProfiler } from 'node:v8';
       import { keepHeapLean, letHeapGrow, limitHeap } from './src/runtime/lean-heap.ts';
       const profiler = new GCProfiler();
       profiler.start();
       ${statements};
       const { statistics } = profiler.stop();
       console.log(statistics.filter(({ gcType }) => gcType === 'MarkSweepCompact').length);`,
    ],
    { cwd: ROOT, encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  return Number(stdout);
}

describe('the heap of a process that reads much', () => {
  it('is collected once, so that its limit is computed from its use', () => {
    expect(collections('keepHeapLean(); limitHeap(); limitHeap();')).toBe(1);
  });

  it('is left alone where it is not kept lean', () => {
    expect(collections('limitHeap();')).toBe(0);
  });

  it('may grow further until all runs that parse much have ended', () => {
    const lean = collections(`keepHeapLean(); ${REPLACE}`);
    const grown = collections(`keepHeapLean(); letHeapGrow(); letHeapGrow()(); ${REPLACE}`);
    const leanAgain = collections(`keepHeapLean(); letHeapGrow()(); ${REPLACE}`);
    expect(grown).toBeLessThan(lean);
    expect(grown).toBeLessThan(leanAgain);
  });
});

/** Replaces the oldest of 300,000 objects again and again, with pauses in which V8 can mark. */
const REPLACE = `limitHeap(); const kept = [];
  for (let i = 0; i < 3e6; i += 1) {
    kept[i % 3e5] = { i, text: [i, [i]] };
    if (i % 500 === 0) await new Promise(setImmediate);
  }`;
