import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { CodedError } from '../domain/errors.js';
import { counted } from '../domain/text.js';
import { AwaitedContent } from '../operations/awaited-content.js';
import type { PresentedRun } from '../operations/present-run.js';

const LOOK_EVERY_MS = 2_000;
const WAIT_MOST_MS = 30 * 60_000;

/** Waits for the content that a run requested. A daemon receives it, or polls for it, and writes it. */
@Injectable()
export class ContentFollower {
  constructor(private readonly content: AwaitedContent) {}

  /** Throws `transient` when content is still missing after half an hour, or when the command is interrupted. */
  async toEnd(run: PresentedRun, signal: AbortSignal): Promise<void> {
    if (run.counts.generationRequested === 0) return;
    const until = performance.now() + WAIT_MOST_MS;
    let said = '';
    for (;;) {
      const { missing, toWrite, toReview } = await this.content.of(run);
      if (missing === 0 && toWrite === 0) {
        if (toReview > 0) process.stderr.write(`texts of ${counted(toReview, 'product')} wait for review\n`);
        return;
      }
      const state = `waiting for the daemon (store-sync start): ${counted(missing, 'text')} to come, ${String(toWrite)} to write\n`;
      if (state !== said) process.stderr.write((said = state));
      if (performance.now() > until || signal.aborted)
        throw new CodedError(
          'transient',
          `content of run ${run.id} is still missing; a daemon goes on with it`,
        );
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
