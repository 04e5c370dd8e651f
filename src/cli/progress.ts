import type { RunProgress } from '../sync/run-hold.js';

/** A step of a run, or what the demo waits for after it. */
type Phase = RunProgress['phase'] | 'content';

export interface Progress {
  readonly phase: Phase;
  readonly done: number;
  /** Null while it is unknown. */
  readonly total: number | null;
}

const PHASES: Readonly<Record<Phase, string>> = {
  export: 'the store prepares the export',
  plan: 'reading and planning',
  apply: 'sending changes to the catalog',
  creations: 'waiting for background creations',
  generation: 'requesting content',
  content: 'writing generated content to the store',
};

/** To the start of the terminal's line, which is emptied. */
const LINE_AGAIN = '\r\u001b[2K';
const BAR_LENGTH = 40;
const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 2_000;
/** The longer a phase lasts, the fewer lines a second: a log of an hour stays short. */
const LINES_PER_PHASE = 20;
/** How long the work must have run before its speed predicts the rest. */
const ESTIMATE_AFTER_MS = 10_000;

/** The beginning of the phase that is shown. */
interface Begin {
  readonly phase: Phase;
  readonly atMs: number;
  readonly done: number;
}

/** Shows progress on stderr, with an estimate of the rest: a bar on a terminal, and a line every few seconds in a pipe. */
export class ProgressReport {
  #hasBar = false;
  #begin: Begin | null = null;
  #lastLineMs = 0;

  constructor(
    private readonly stream: NodeJS.WritableStream & { readonly isTTY?: boolean },
    private readonly nowMs = () => performance.now(),
  ) {}

  show(progress: Progress): void {
    const { phase, done } = progress;
    const isNew = this.#begin?.phase !== phase;
    const begin = this.#begin === null || isNew ? { phase, atMs: this.nowMs(), done } : this.#begin;
    this.#begin = begin;
    if (this.stream.isTTY === true) this.#showBar(progress, begin, isNew);
    else this.#showLine(progress, begin, isNew);
  }

  end(): void {
    if (this.#hasBar) this.stream.write('\n');
    this.#hasBar = false;
  }

  /** Writes over the line of before. */
  #showBar(progress: Progress, begin: Begin, isNew: boolean): void {
    const { phase, done, total } = progress;
    const now = this.nowMs();
    const isLast = done === total;
    if (!isNew && !isLast && now - this.#lastLineMs < BAR_EVERY_MS) return;
    if (isNew) this.end();
    this.#lastLineMs = now;
    this.#hasBar = true;
    const share = total === null || total === 0 ? 0 : Math.min(done / total, 1);
    const filled = Math.round(share * BAR_LENGTH);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_LENGTH - filled)}`;
    const count = total === null ? String(done) : `${bar} ${String(done)}/${String(total)}`;
    this.stream.write(`${LINE_AGAIN}${PHASES[phase]} ${count}${this.#rest(progress, begin)}`);
  }

  #showLine(progress: Progress, begin: Begin, isNew: boolean): void {
    const { phase, done, total } = progress;
    const now = this.nowMs();
    const everyMs = Math.max(LINE_EVERY_MS, (now - begin.atMs) / LINES_PER_PHASE);
    if (!isNew && now - this.#lastLineMs < everyMs) return;
    this.#lastLineMs = now;
    const count =
      total === null ? (done === 0 ? '' : ` ${String(done)}`) : ` ${String(done)}/${String(total)}`;
    this.stream.write(`${PHASES[phase]}${count}${this.#rest(progress, begin)}\n`);
  }

  /** The time that the rest takes at the speed of this phase so far; empty while nothing can be said. */
  #rest({ done, total }: Progress, begin: Begin): string {
    const elapsedMs = this.nowMs() - begin.atMs;
    const came = done - begin.done;
    if (total === null || came <= 0 || done >= total || elapsedMs < ESTIMATE_AFTER_MS) return '';
    const seconds = Math.ceil(((total - done) / came) * (elapsedMs / 1000));
    return seconds < 60 ? ', less than a minute left' : `, about ${String(Math.ceil(seconds / 60))} min left`;
  }
}

/** Shows the progress of planning. */
export async function planned<T>(work: (onProgress: (seen: number) => void) => Promise<T>): Promise<T> {
  const progress = new ProgressReport(process.stderr);
  try {
    return await work((done) => {
      progress.show({ phase: 'plan', done, total: null });
    });
  } finally {
    progress.end();
  }
}
