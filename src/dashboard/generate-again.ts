import { Injectable } from '@nestjs/common';
import { errorLine, isCoded } from '../domain/errors.js';
import { GenerateOperations } from '../operations/generate.js';
import { Shutdown } from '../runtime/shutdown.js';
import { messages } from './messages.js';

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
      if (requested > 0) return messages.generationRequested;
      return messages.generationNotRequested(passedOver[0]?.reason ?? stopped ?? messages.noPauseReason);
    } catch (error) {
      if (!isCoded(error)) throw error;
      return messages.generationNotRequested(errorLine(error));
    }
  }
}
