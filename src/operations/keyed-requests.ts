import { Injectable } from '@nestjs/common';
import { fingerprint } from '../domain/fingerprint.js';
import { UsedKeyRepository, type RequestKey } from '../persistence/used-key.repository.js';

/** The answer that a request got. */
export interface KeptAnswer {
  readonly status: number;
  readonly answer: string;
}

/** Repeated requests of one actor under one key: the first has the effect, and the others get its answer. */
@Injectable()
export class KeyedRequests {
  constructor(private readonly rows: UsedKeyRepository) {}

  /** `first`: the caller goes on, and ends it. */
  async begin(
    key: RequestKey,
    request: readonly unknown[],
  ): Promise<'first' | 'under_way' | 'another' | KeptAnswer> {
    const print = fingerprint(request);
    const known = await this.rows.claim(key, print);
    if (known === null) return 'first';
    if (known.request !== print) return 'another';
    const { status, answer } = known;
    return status === null || answer === null ? 'under_way' : { status, answer };
  }

  /** Keeps the answer. After a fault of ours or of another side the key is free, so that the same request may be tried again. */
  async end(key: RequestKey, { status, answer }: KeptAnswer): Promise<void> {
    if (status < 500) await this.rows.keep(key, status, answer);
    else await this.rows.release(key);
  }
}
