import { liveField, liveImages, liveTags, type LiveProduct } from '../domain/store-port.js';
import { metafieldTarget } from '../domain/metafield-key.js';
import { IMAGE_ALTS, imageOfTarget, isTag, tagTarget } from '../domain/write-target.js';
import { isStoreField } from './generated-content.js';

/** The live value of a target in the shop's own language; null when there is none. Throws when it was not read. */
export function ownValue(target: string, live: LiveProduct): string | null {
  if (isStoreField(target)) return liveField(live, target);
  if (isTag(target)) return liveTags(live).find((tag) => tagTarget(tag) === target) ?? null;
  const image = imageOfTarget(target);
  if (image !== null) return liveImages(live).find(({ id }) => id === image)?.alt ?? null;
  // Each image has a value of its own.
  if (target === IMAGE_ALTS) return null;
  return live.metafields.find((field) => metafieldTarget(field) === target)?.value ?? null;
}
