import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Node cuts small buffers from blocks of 64 KB, and a block stays as long as one of them. A few deliveries that are at work would keep
 * megabytes of others' bytes.
 */
const BUFFER_BLOCK_BYTES = 8 * 1024;

let isLean = false;
let isLimited = false;
/** How many callers of `letHeapGrow` have not ended it. */
let growers = 0;

/**
 * From now on, V8 collects garbage before the heap has grown by 30 %: by default it grows to several times of its use,
 * and stays there. A process calls it when its modules are loaded, because loading makes little garbage and every
 * collection costs time. And it no longer puts new objects of some places in the code straight among the old ones. In one process of four
 * it did so with the products that a run has in hand. That took twice the collections, and a parsing run half of its time again.
 * Small buffers share smaller blocks.
 */
export function keepHeapLean(): void {
  isLean = true;
  Buffer.poolSize = BUFFER_BLOCK_BYTES;
  setFlagsFromString('--heap-growing-percent=30');
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * Called once much has been read, and more will be. V8 computes its limit from the use of the heap after a collection of all of it, and waits for the
 * first one until the heap has doubled. So the first call collects it, which takes some 40 ms. Changes nothing where the heap is not kept
 * lean.
 */
export function limitHeap(): void {
  if (!isLean || isLimited) return;
  isLimited = true;
  collect("{ type: 'major' }");
}

/**
 * While many products of a store are parsed: garbage is collected before the heap has grown by 50 %. That takes some 10 MB more, and a
 * twentieth of the time less. Changes nothing where the heap is not kept lean. Returns what ends it, to be called
 * once. Of several callers, the last one to end it makes the heap lean again.
 */
export function letHeapGrow(): () => void {
  if (!isLean) return () => undefined;
  growers += 1;
  setFlagsFromString('--heap-growing-percent=50');
  return () => {
    growers -= 1;
    if (growers === 0) setFlagsFromString('--heap-growing-percent=30');
  };
}

/**
 * Lets the nursery of `start` grow to the size in `--max-semi-space-size`: `bin/store-sync.js` keeps it at a megabyte. Without that
 * flag, V8's own limit would be high, and the nursery stays as it is. `nodeOptions`: those of the environment.
 */
export function letNurseryGrow(nodeOptions = ''): void {
  const hasLimit = [...process.execArgv, nodeOptions].join(' ').includes('--max-semi-space-size');
  if (hasLimit) setFlagsFromString('--semi-space-growth-factor=2');
}

/**
 * For a process that only receives, beside `keepHeapLean`. Its functions are called once for each delivery, so that all of them become
 * worth V8's slow compiler within the same second. Its four threads then took both processors, and deliveries waited for 0.2 s. The code
 * of the fast compiler takes no more time for a delivery. The fast compiler has a single thread here, and puts fewer functions into one
 * than by default: otherwise it takes 14 MB to compile the largest, and keeps that memory. Garbage is collected before the heap has grown
 * by 20 %, which spares 3 MB.
 */
export function keepReceiverSmall(): void {
  setFlagsFromString('--no-turbofan');
  setFlagsFromString('--concurrent-maglev-max-threads=1');
  setFlagsFromString('--max-maglev-inlined-bytecode-size-cumulative=200');
  setFlagsFromString('--heap-growing-percent=20');
}

/**
 * Collects what the start has left, and gives the pages back to the system: some 10 MB of a process that only receives. Takes a tenth
 * of a second, in which nothing else runs.
 */
export function returnMemoryOfStart(): void {
  collect("{ type: 'major', flavor: 'last-resort' }");
}

function collect(options: string): void {
  setFlagsFromString('--expose-gc');
  // Only contexts that are made from now on have the function.
  runInNewContext(`gc(${options})`);
  setFlagsFromString('--no-expose-gc');
}
