import { Presets, SingleBar } from 'cli-progress';
import type { RunProgress } from '../sync/run-hold.js';
import { messages } from './messages.js';

const PHASES: Readonly<Record<RunProgress['phase'], string>> = {
  export: messages.exporting,
  plan: messages.planning,
  apply: messages.applying,
  creations: messages.creating,
  generation: messages.requesting,
};

const LINE_EVERY_MS = 2_000;

/** Shows a run's progress on stderr: a bar on a terminal, and a line every few seconds in a pipe. */
export class ProgressReport {
  #bar: SingleBar | null = null;
  #phase: RunProgress['phase'] | null = null;
  #lastLine = 0;

  constructor(private readonly stream: NodeJS.WriteStream) {}

  show(progress: RunProgress): void {
    if (this.stream.isTTY) this.#showBar(progress);
    else this.#showLine(progress);
  }

  end(): void {
    this.#bar?.stop();
    this.#bar = null;
  }

  #showBar({ phase, done, total }: RunProgress): void {
    if (this.#phase !== phase) {
      this.end();
      this.#phase = phase;
      const format = total === null ? `${PHASES[phase]} {value}` : `${PHASES[phase]} {bar} {value}/{total}`;
      this.#bar = new SingleBar(
        { format, stream: this.stream, hideCursor: true, clearOnComplete: false },
        Presets.shades_classic,
      );
      this.#bar.start(total ?? 0, done);
    }
    this.#bar?.update(done);
  }

  #showLine({ phase, done, total }: RunProgress): void {
    const now = performance.now();
    if (this.#phase === phase && now - this.#lastLine < LINE_EVERY_MS) return;
    this.#phase = phase;
    this.#lastLine = now;
    const count =
      total === null ? (done === 0 ? '' : ` ${String(done)}`) : ` ${String(done)}/${String(total)}`;
    this.stream.write(`${PHASES[phase]}${count}\n`);
  }
}
