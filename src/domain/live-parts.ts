import type { LiveParts } from './store-port.js';
import { metafieldNamesIn, variantMetafieldsIn } from './metafield-key.js';
import { IMAGE_ALTS, imageOfTarget, isTag, placeOfTarget } from './write-target.js';

/** The parts of a live product that hold the values of the targets; with `images`, its images too. */
export function livePartsOf(targets: readonly string[], { images = false } = {}): LiveParts {
  return {
    seo: targets.some((target) => placeOfTarget(target).base.startsWith('seo.')),
    category: targets.includes('category'),
    tags: targets.some(isTag),
    images: images || targets.some((target) => target === IMAGE_ALTS || imageOfTarget(target) !== null),
    metafields: metafieldNamesIn(targets),
    variants: variantMetafieldsIn(targets),
  };
}
