import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** A third of the weight of an ordinary process where both want the same processor, and no less where one is free. */
const LOW = 5;

/**
 * From now on other processes of a busy machine go first, unless this one has a lower priority already. On Linux a priority belongs to
 * a thread: those that exist get it, and later ones inherit it. Where the system refuses, nothing changes.
 */
export function lowerPriority(): void {
  if (getPriority() >= LOW) return;
  for (const thread of threads()) {
    try {
      setPriority(thread, LOW);
    } catch {
      // The thread has ended meanwhile, or the system refuses: the work is the same at any priority.
    }
  }
}

/** Their ids; 0 is the whole process where the system has no ids of threads. */
function threads(): number[] {
  return process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0];
}
