import { Injectable, type OnModuleDestroy } from '@nestjs/common';

/** Aborted as soon as the process is asked to stop: long work hands its rows on instead of being waited for. */
@Injectable()
export class Shutdown implements OnModuleDestroy {
  readonly #controller = new AbortController();

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Nest's first hook: in the next one the queue's workers are waited for, and would be until their time is up. */
  onModuleDestroy(): void {
    this.#controller.abort(new Error('the process is shutting down'));
  }
}
