import { Remembered } from '../../runtime/remembered.js';
import type { ShopifyClient } from './client.js';
import { WHO_AM_I } from './documents.js';
import { whoAmIData } from './schemas.js';

/** An app's scopes change only when it is installed again. */
const KNOWN_FOR_MS = 10 * 60_000;

/**
 * The further languages in which products may be read: all that are configured, or none while the app lacks the scope. A read that
 * names translations without the scope is refused whole. Without configured languages no request is sent.
 */
export class SourceLocales {
  readonly #known: Remembered<readonly string[]>;

  constructor(
    private readonly client: ShopifyClient,
    private readonly configured: readonly string[],
    now: () => number,
    /** Metafields are read in these languages too. */
    private readonly ofMetafields: readonly string[] = [],
  ) {
    this.#known = new Remembered(KNOWN_FOR_MS, now);
  }

  async readableOfMetafields(): Promise<readonly string[]> {
    return (await this.readable()).length === 0 ? [] : this.ofMetafields;
  }

  async readable(): Promise<readonly string[]> {
    if (this.configured.length === 0) return [];
    return this.#known.get('', () => this.#ask());
  }

  async #ask(): Promise<readonly string[]> {
    const { data } = await this.client.run(WHO_AM_I, {}, whoAmIData);
    const scopes = data.currentAppInstallation.accessScopes.map(({ handle }) => handle);
    return scopes.includes('read_translations') || scopes.includes('write_translations')
      ? this.configured
      : [];
  }
}
