/**
 * Work that is repeated. Rounds of one process never overlap: a round that is due while another one runs is left out. A round that fails
 * goes to `onFailure`, and the next one tries again.
 */
export class Rounds {
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> | null = null;

  constructor(
    private readonly work: () => Promise<void>,
    private readonly onFailure: (error: unknown) => void = () => undefined,
  ) {}

  /** The first round begins after `everyMs`. The timer alone does not keep the process alive. */
  start(everyMs: number): void {
    this.#timer = setInterval(() => {
      this.now();
    }, everyMs);
    this.#timer.unref();
  }

  now(): void {
    this.#round ??= this.work()
      .catch(this.onFailure)
      .finally(() => {
        this.#round = null;
      });
  }

  /** Awaits the round that is under way. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#round;
  }
}
