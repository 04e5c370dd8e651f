import { Injectable } from '@nestjs/common';
import { RunWorker } from '../sync/run-worker.js';
import { DeliveryInterpreter } from '../webhooks/interpreter.js';
import { WriteBackWriter } from '../write-back/writer.js';

/** Starts the work that a row needs. An abstract class, so that it is its own injection token. */
export abstract class RowWorkPort {
  /** Interprets deliveries that were put back. The outcome is in their rows. */
  abstract deliveries(ids: readonly string[]): Promise<void>;
  /** `delayMs`: how long the writing waits, so that an approval can be undone. */
  abstract writeBacks(ids: readonly string[], delayMs?: number): Promise<void>;
  abstract run(id: string): Promise<void>;
  /** Ends a cancelled run that has no worker. A run that has one is ended by its worker. */
  abstract endRun(id: string): Promise<void>;
  abstract bulkChange(id: string): Promise<void>;
}

/** A command does the work itself, also beside a running daemon. Leases prevent that both work on the same row. */
@Injectable()
export class DirectRowWork implements RowWorkPort {
  constructor(
    private readonly interpreter: DeliveryInterpreter,
    private readonly writer: WriteBackWriter,
    private readonly worker: RunWorker,
  ) {}

  async deliveries(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const { writeBackId } = await this.interpreter.interpret(id);
      if (writeBackId !== null) await this.writer.write(writeBackId);
    }
  }

  async writeBacks(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.writer.write(id);
  }

  /** The command that made the run also works it, and shows its progress. */
  run(): Promise<void> {
    return Promise.resolve();
  }

  /** Takes the run only if no other process has it. */
  async endRun(id: string): Promise<void> {
    await this.worker.work(id, new AbortController().signal);
  }

  /** The command that asked for the change also works it, and shows its progress. */
  bulkChange(): Promise<void> {
    return Promise.resolve();
  }
}
