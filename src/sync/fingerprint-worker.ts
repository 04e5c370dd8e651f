import { parentPort, workerData } from 'node:worker_threads';
import { reasonOutOfScope } from '../planner/scope.js';
import { effectiveSnapshot, sourceFingerprint } from '../planner/source.js';
import { parseUnparsed } from '../store/unparsed.js';
import type { FingerprintOrder, FingerprintReply, ThreadMemory } from './fingerprint-order.js';

// The thread of `FingerprintThread`: computes fingerprints until it is ended. It has no settings, no secrets and no connections.

const { slots } = workerData as ThreadMemory;
const memory = slots.map((slot) => Buffer.from(slot));

function fingerprintOf(order: FingerprintOrder, bytes: Buffer, index: number): string | null {
  try {
    const snapshot = parseUnparsed(order, bytes, index);
    if (reasonOutOfScope(snapshot, order.filter) !== null) return null;
    return sourceFingerprint(effectiveSnapshot(snapshot, order.written[index] ?? null), order.rules);
  } catch {
    // The main thread parses it again, and says what is wrong.
    return null;
  }
}

parentPort?.on('message', (order: FingerprintOrder) => {
  const bytes = memory[order.slot];
  const fingerprints = order.storeIds.map((_id, index) =>
    bytes === undefined ? null : fingerprintOf(order, bytes, index),
  );
  parentPort?.postMessage({ slot: order.slot, fingerprints } satisfies FingerprintReply);
});
// All modules are loaded.
parentPort?.postMessage({ slot: null, fingerprints: [] } satisfies FingerprintReply);
