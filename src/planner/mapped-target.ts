import {
  metafieldName,
  metafieldTarget,
  placeInTarget,
  SHORT_DESCRIPTION_PLACE,
} from '../domain/metafield-key.js';
import type { WriteBackSettings } from '../domain/store-settings.js';
import { isTag, placeOfTarget, SHORT_DESCRIPTION } from '../domain/write-target.js';

/** Whether a setting maps some part of a result to the target. */
export function isMapped(
  target: string,
  {
    fields,
    attributes,
    variants,
    sections,
    locales,
  }: Pick<WriteBackSettings, 'fields' | 'attributes' | 'variants' | 'sections' | 'locales'>,
): boolean {
  const { locale, base } = placeOfTarget(target);
  if (locale !== null && !locales.includes(locale)) return false;
  const parts: readonly string[] = Object.values(fields);
  if (isTag(base)) return parts.includes('tags');
  const place = placeInTarget(base);
  if (place === null) return parts.includes(base);
  const name = metafieldName(place);
  if (place.variant !== undefined) return Object.values(variants).includes(name);
  return (
    Object.values(attributes).includes(name) ||
    place.namespace === sections?.namespace ||
    (base === metafieldTarget(SHORT_DESCRIPTION_PLACE) && parts.includes(SHORT_DESCRIPTION))
  );
}
