import { nameInTarget } from '../../domain/metafield-key.js';
import { placeOfTarget } from '../../domain/write-target.js';
import { counted, pathTo } from '../elements.js';
import { html, type Html } from '../html.js';
import type { Stretch } from '../word-diff.js';

/** The position in the review list from which a write-back was opened. After a decision, the next one opens. */
export interface ReviewPlace {
  /** Offset in the list; undefined when it was not opened from the list. */
  readonly at?: number | undefined;
  readonly store?: string | undefined;
}

export function writeBackPath(id: string, { at, store }: ReviewPlace = {}): string {
  return pathTo(`/write-backs/${id}`, { at: at === undefined ? undefined : String(at), store });
}

const FIELD_NAMES: Readonly<Record<string, string>> = {
  title: 'Title',
  descriptionHtml: 'Description',
  'seo.title': 'SEO title',
  'seo.description': 'SEO description',
  vendor: 'Vendor',
  productType: 'Product type',
};

export function targetName(target: string): string {
  const { locale, base } = placeOfTarget(target);
  const name = FIELD_NAMES[base] ?? nameInTarget(base) ?? base;
  return locale === null ? name : `${name} (${locale})`;
}

/** The text of one side, or of both, with the differences marked. */
export function markedText(stretches: readonly Stretch[]): Html {
  return html`${stretches.map(stretch)}`;
}

function stretch({ side, text }: Stretch): Html {
  switch (side) {
    case 'both':
      return html`${text}`;
    case 'before':
      return html`<del>${text}</del>`;
    case 'after':
      return html`<ins>${text}</ins>`;
  }
}

/** The fields of a write-back in few words. Metafields may be many, so only their number is shown. */
export function targetList(targets: readonly string[]): string {
  const isMetafield = (target: string): boolean => nameInTarget(placeOfTarget(target).base) !== null;
  const metafields = targets.filter(isMetafield).length;
  const names = targets.filter((target) => !isMetafield(target)).map(targetName);
  return [...names, ...(metafields === 0 ? [] : [counted(metafields, 'metafield')])].join(', ');
}
