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
        '--no-warnings',
        '--import',
        './test/support/typescript-loader.mjs',
        '--input-type=module',
        '--eval',
      ],
      `import { GCProfiler } from 'node:v8';
       import { keepHeapLean, limitHeap } from './src/runtime/lean-heap.ts';
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
});
