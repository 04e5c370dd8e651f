import type { Figure } from './table.js';

export type Log = (line: string) => void;
/** Keeps each figure as soon as it is measured, so that the figures of a bench that fails later are not lost. */
export type Take = (...figures: readonly Figure[]) => void;

export interface Bench {
  /** `share` scales the amount of work; 1 is that of the goals. */
  readonly run: (share: number, log: Log, take: Take) => Promise<void>;
  /** Why it cannot run on this machine, or null. */
  readonly missing?: () => string | null;
  /** It waits most of its time and does little: the benches after it run at the same time. */
  readonly waits?: boolean;
}

export interface BenchReport {
  /** By the number of the row. */
  readonly figures: readonly Figure[];
  readonly skipped: readonly { readonly bench: string; readonly reason: string }[];
  readonly failed: readonly { readonly bench: string; readonly error: string }[];
}

/**
 * Runs the named benches one after the other. A bench that cannot run is skipped, and one that fails is reported: both leave the
 * figures of the others as they are. Throws on an unknown name, before anything runs.
 */
export async function runBenches(
  benches: Readonly<Record<string, Bench>>,
  names: readonly string[],
  { share, log }: { readonly share: number; readonly log: Log },
): Promise<BenchReport> {
  const chosen = names.map((name) => {
    const bench = benches[name];
    if (bench === undefined)
      throw new Error(`there is no bench "${name}": choose from ${Object.keys(benches).join(', ')}`);
    return { name, bench };
  });
  const figures: Figure[] = [];
  const skipped: { bench: string; reason: string }[] = [];
  const failed: { bench: string; error: string }[] = [];
  const waiting: Promise<void>[] = [];
  for (const { name, bench } of chosen) {
    const reason = bench.missing?.() ?? null;
    if (reason !== null) {
      skipped.push({ bench: name, reason });
      log(`${name} is skipped: ${reason}`);
      continue;
    }
    log(`${name} …`);
    const running = attempt(() => bench.run(share, log, (...taken) => void figures.push(...taken))).then(
      (error) => {
        if (error === null) return;
        failed.push({ bench: name, error: messageOf(error) });
        log(`${name} failed: ${error.stack ?? error.message}`);
      },
    );
    if (bench.waits === true) waiting.push(running);
    else await running;
  }
  await Promise.all(waiting);
  return { figures: figures.sort((one, other) => parseInt(one.row) - parseInt(other.row)), skipped, failed };
}

/** The lines below the table: which benches have no figures, and why. Empty when all were measured. */
export function printGaps({ skipped, failed }: BenchReport): readonly string[] {
  return [
    ...skipped.map(({ bench, reason }) => `skipped: ${bench} (${reason})`),
    ...failed.map(({ bench, error }) => `FAILED: ${bench} (${error})`),
  ];
}

async function attempt(work: () => Promise<void>): Promise<Error | null> {
  try {
    await work();
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The first line of an error. The log has the rest. */
function messageOf(error: Error): string {
  return error.message.split('\n')[0] ?? '';
}
