import { Injectable } from '@nestjs/common';
import { errorLine, isCoded } from '../domain/errors.js';
import { GenerateOperations } from '../operations/generate.js';
import { counted } from './elements.js';
import { Shutdown } from '../runtime/shutdown.js';

const generationNotRequested = (reason: string): string => `Generation was not requested: ${reason}.`;

/** Requests new content for products of one store, for the pages that have a button for it. */
@Injectable()
export class GenerateAgain {
  constructor(
    private readonly generation: GenerateOperations,
    private readonly shutdown: Shutdown,
  ) {}

  /** Returns a sentence for the person: content was requested, or why it was not. */
  async request(store: string, ids: readonly string[]): Promise<string> {
    try {
      const request = { store, ids, force: true };
      const { requested, passedOver, stopped } = await this.generation.generate(
        request,
        this.shutdown.signal,
      );
      if (requested > 0 && ids.length === 1)
        return 'Generation was requested. The new text appears here for review.';
      if (requested > 0) {
        const left = ids.length - requested;
        return `Content was requested for ${counted(requested, 'product')}.${left === 0 ? '' : ` ${left} left out: ${passedOver[0]?.reason ?? stopped ?? ''}.`}`;
      }
      return generationNotRequested(passedOver[0]?.reason ?? stopped ?? 'no reason was given');
    } catch (error) {
      if (!isCoded(error)) throw error;
      return generationNotRequested(errorLine(error));
    }
  }
}
