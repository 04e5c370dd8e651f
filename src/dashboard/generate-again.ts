import { Injectable } from '@nestjs/common';
import { errorLine, isCoded } from '../domain/errors.js';
import { GenerateOperations } from '../operations/generate.js';
import { Shutdown } from '../runtime/shutdown.js';

const generationNotRequested = (reason: string): string => `Generation was not requested: ${reason}.`;

export const NO_PAUSE_REASON = 'The store gave no reason.';

/** Requests new content for one product, for the pages that have a button for it. */
@Injectable()
export class GenerateAgain {
  constructor(
    private readonly generation: GenerateOperations,
    private readonly shutdown: Shutdown,
  ) {}

  /** Returns a sentence for the person: content was requested, or why it was not. */
  async request(store: string, externalId: string): Promise<string> {
    try {
      const request = { store, ids: [externalId], force: true };
      const { requested, passedOver, stopped } = await this.generation.generate(
        request,
        this.shutdown.signal,
      );
      if (requested > 0) return 'Generation was requested. The new text appears here for review.';
      return generationNotRequested(passedOver[0]?.reason ?? stopped ?? NO_PAUSE_REASON);
    } catch (error) {
      if (!isCoded(error)) throw error;
      return generationNotRequested(errorLine(error));
    }
  }
}
