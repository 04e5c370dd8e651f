import { metafieldName, placeInTarget } from '../../domain/metafield-key.js';
import { IMAGE_ALTS, imageOfTarget, isTag, placeOfTarget } from '../../domain/write-target.js';
import type { Comparison } from '../../operations/write-back-comparison.js';
import { counted, pathTo } from '../elements.js';
import { html, type Html } from '../html.js';
import type { Stretch } from '../word-diff.js';
import type { ListPlace } from '../write-back-query.js';

export const storeUnread = (problem: string): string =>
  `The current values of the store could not be read: ${problem}.`;

/** The page of a write-back. `place`: the list from which it was opened. After a decision in the review list, the next one opens. */
export function writeBackPath(id: string, place: ListPlace = {}, part = ''): string {
  const { at, ...filter } = place;
  return pathTo(`/write-backs/${id}${part}`, { at: at === undefined ? undefined : String(at), ...filter });
}

/** Before the target in the name of a field that edits a text. */
export const EDIT_PREFIX = 'text ';

/** The ticked fields as a text for an address. */
export function ticksOf({ fields }: Pick<Comparison, 'fields'>, ticked: readonly string[]): string {
  const places = fields.flatMap(({ target }, place) => (ticked.includes(target) ? String(place) : []));
  return places.length === 0 ? 'none' : places.join('.');
}

/** The fields that an address has ticked; null when it says nothing. */
export function tickedIn(
  { fields }: Pick<Comparison, 'fields'>,
  ticks: string | undefined,
): ReadonlySet<string> | null {
  if (ticks === undefined) return null;
  const places = ticks === 'none' ? [] : ticks.split('.').map(Number);
  return new Set(places.flatMap((place) => fields[place]?.target ?? []));
}

const FIELD_NAMES: Readonly<Record<string, string>> = {
  title: 'Title',
  descriptionHtml: 'Description',
  'seo.title': 'SEO title',
  'seo.description': 'SEO description',
  vendor: 'Vendor',
  productType: 'Product type',
  category: 'Category',
  [IMAGE_ALTS]: 'Image alt texts',
};

export function targetName(target: string): string {
  const { locale, base } = placeOfTarget(target);
  const name = FIELD_NAMES[base] ?? partName(base);
  return locale === null ? name : `${name} (${locale})`;
}

function partName(base: string): string {
  if (isTag(base)) return `Tag ${base.slice(base.indexOf(':') + 1)}`;
  const image = imageOfTarget(base);
  if (image !== null) return `Alt text of image ${image}`;
  const place = placeInTarget(base);
  if (place === null) return base;
  const name = metafieldName(place);
  return place.variant === undefined ? name : `${name} of variant ${place.variant}`;
}

/** The text of one side, or of both, with the differences marked. */
export function markedText(stretches: readonly Stretch[]): Html {
  return html`${stretches.map(stretch)}`;
}

function stretch({ side, text }: Stretch): Html {
  // A highlighted difference of line ends alone would be an empty bar.
  const isLineEnd = text.trim() === '' && text.includes('\n');
  switch (isLineEnd ? 'both' : side) {
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
  const isMetafield = (target: string): boolean => placeInTarget(placeOfTarget(target).base) !== null;
  const metafields = targets.filter(isMetafield).length;
  const names = targets.filter((target) => !isMetafield(target)).map(targetName);
  return [...names, ...(metafields === 0 ? [] : [counted(metafields, 'metafield')])].join(', ');
}
