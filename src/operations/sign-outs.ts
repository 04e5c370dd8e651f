import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { UsedKeyRepository } from '../persistence/used-key.repository.js';

/**
 * Sessions of the dashboard that were signed out before their time, and links that signed in. A row has only a hash of the id: that of a
 * session would open it.
 */
@Injectable()
export class SignOuts {
  constructor(
    @Inject(UsedKeyRepository) private readonly tokens: Pick<UsedKeyRepository, 'use' | 'isUsed'>,
  ) {}

  /** Ends the session in every process. `until`: when its cookie would have ended. */
  async add(sessionId: string, until: Date): Promise<void> {
    await this.tokens.use(hashOf(sessionId), until);
  }

  /** False for a link that has signed in already, in any process. */
  async isFirstUse(linkId: string, until: Date): Promise<boolean> {
    return this.tokens.use(hashOf(linkId), until);
  }

  async has(sessionId: string): Promise<boolean> {
    return this.tokens.isUsed(hashOf(sessionId));
  }
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
