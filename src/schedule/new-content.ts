import type { CatalogProduct } from '../catalog/schemas.js';
import { valueHash } from '../domain/written-content.js';
import type { StoreProductEntity } from '../persistence/entities/index.js';
import type { ResultRepository } from '../persistence/result.repository.js';
import { holdsNewContent, intendedContent, type CatalogFields } from '../planner/catalog-content.js';
import { translationTarget } from '../domain/write-target.js';
import { withHtmlDescription } from '../planner/description.js';
import { intendedTranslations } from '../planner/translations.js';
import { fingerprint } from '../domain/fingerprint.js';
import { contentFingerprint } from '../planner/content-fingerprint.js';
import type { Connections } from '../connections/connections.js';

/** Distinguishes a result from the catalog product's earlier content. */
export class NewContent {
  constructor(
    private readonly connections: Connections,
    private readonly results: ResultRepository,
  ) {}

  /**
   * True when the product holds content that is neither what it held `before` nor what we pushed. Where it is not known what it held,
   * content counts as new that we did not push and that no result brought.
   */
  async since(
    link: StoreProductEntity,
    before: CatalogFields | null,
    product: CatalogProduct,
  ): Promise<boolean> {
    const store = this.connections.findStore(link.store);
    if (!store) return false;
    const { writeBack } = store.settings;
    const pushed: Readonly<Record<string, string>> = link.pushedFields;
    if (before !== null) return holdsNewContent(product, before, pushed, writeBack);
    const intended = intendedContent(product, writeBack);
    const isPushed = (from: string, raw: string | null): boolean =>
      raw !== null && pushed[from] === valueHash(raw);
    if (intended.every(({ from, raw }) => isPushed(from, raw))) return false;
    return !(await this.results.hasContent(link.externalId, contentFingerprint(intended)));
  }

  /** The further languages of the workspace's stores that results are written in. */
  furtherLocales(workspace: string): string[] {
    const settings = this.connections.stores
      .filter((store) => store.workspace.key === workspace)
      .map((store) => store.settings.writeBack);
    return [...new Set(settings.flatMap(({ mode, locales }) => (mode === 'off' ? [] : locales)))];
  }

  /**
   * A fingerprint of the texts of a further language that neither the newest result brought nor we pushed; null where there are none, or
   * where no result was taken yet.
   */
  async inLanguage(
    link: StoreProductEntity,
    primary: CatalogProduct,
    translated: CatalogProduct,
    locale: string,
  ): Promise<string | null> {
    const store = this.connections.findStore(link.store);
    if (!store?.settings.writeBack.locales.includes(locale)) return null;
    const newest = await this.results.newestIntended(link.externalId);
    if (newest === null) return null;
    const { writeBack } = store.settings;
    const brought = new Map(newest.map(({ target, value, came }) => [target, came?.value ?? value]));
    const own = intendedContent(withHtmlDescription(primary, link.pushedFields), writeBack);
    const derived = withHtmlDescription(translated, link.pushedFields, { locale, primary });
    const pushed: Readonly<Record<string, string>> = link.pushedFields;
    const isPushed = (from: string, raw: string | null): boolean =>
      raw !== null && pushed[translationTarget(locale, from)] === valueHash(raw);
    const fresh = intendedTranslations(own, derived, locale, writeBack).filter(
      ({ target, value, from, raw, withheld }) =>
        withheld === undefined && brought.get(target) !== value && !isPushed(from, raw),
    );
    return fresh.length === 0 ? null : fingerprint(fresh.map(({ target, value }) => [target, value]));
  }
}
