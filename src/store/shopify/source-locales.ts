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
  #known: { readonly atMs: number; readonly locales: Promise<readonly string[]> } | null = null;

  constructor(
    private readonly client: ShopifyClient,
    private readonly configured: readonly string[],
    private readonly now: () => number,
    /** Metafields are read in these languages too. */
    private readonly ofMetafields: readonly string[] = [],
  ) {}

  async readableOfMetafields(): Promise<readonly string[]> {
    return (await this.readable()).length === 0 ? [] : this.ofMetafields;
  }

  async readable(): Promise<readonly string[]> {
    if (this.configured.length === 0) return [];
    if (this.#known === null || this.now() - this.#known.atMs > KNOWN_FOR_MS)
      this.#known = { atMs: this.now(), locales: this.#ask() };
    try {
      return await this.#known.locales;
    } catch (error) {
      this.#known = null;
      throw error;
    }
  }

  async #ask(): Promise<readonly string[]> {
    const { data } = await this.client.run(WHO_AM_I, {}, whoAmIData);
    const scopes = data.currentAppInstallation.accessScopes.map(({ handle }) => handle);
    return scopes.includes('read_translations') || scopes.includes('write_translations')
      ? this.configured
      : [];
  }
}
