import { isStoreField, liveValue, type LiveProduct } from '../domain/store-port.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { hostOfAddress } from '../domain/web-address.js';
import { placeOfTarget } from '../domain/write-target.js';
import { effectiveValue, type WrittenContent } from '../domain/written-content.js';
import type { Ruling } from './field-verdict.js';
import { droppedLines, sanitisedFor, sanitisedText } from './generated-content.js';
import { allowanceOf, hasAllowance } from './html/markup-allowance.js';
import { hasPicture } from './html-content.js';
import type { DroppedAddress } from './html/address.js';
import { removedMedia, withKeptMedia, type KeepableElement } from './kept-media.js';

/** The merchant's content beside a text, in whatever language the text is. */
export interface ShownText {
  /** The merchant's own text that visitors see where the value is meant to be; null for none. */
  readonly merchants: string | null;
  /** The merchant's own description in the shop's own language; null for none. */
  readonly description: string | null;
  readonly live: LiveProduct;
  readonly keep: readonly KeepableElement[];
  readonly pictureHosts: readonly string[];
}

/**
 * The merchant's own text at a target. Where a language has no description of its own, visitors see the one of the shop's own
 * language, with its pictures and tables.
 */
export function merchantsText(
  target: string,
  current: string | null,
  live: LiveProduct,
  written: WrittenContent,
): string | null {
  const own = effectiveValue(current, written[target]);
  const { locale, base } = placeOfTarget(target);
  if (own !== null || locale === null || base !== 'descriptionHtml') return own;
  return effectiveValue(liveValue(live, base).value, written[base]);
}

/**
 * True when a text has a picture from a host that is not allowed anyway, so that the hosts of the product's images decide about it.
 * Reading them costs extra.
 */
export function needsImages(
  intended: readonly IntendedValue[],
  pictureHosts: readonly string[] = [],
): boolean {
  return intended.some(({ value, raw }) => {
    const text = raw ?? value;
    if (!hasPicture(text)) return false;
    const { pictureHosts: hosts } = allowanceOf(text);
    return [...hosts].some((host) => !pictureHosts.includes(host));
  });
}

/**
 * A text in the form that is written. A description may have what the merchant's own one has already, and is followed by what the
 * merchant had in it and keeps. Pictures come from hosts that the product uses already, or that are allowed.
 */
export function finalText(
  value: IntendedValue,
  { merchants, description, live, keep, pictureHosts }: ShownText,
): { readonly value: IntendedValue } | { readonly unfit: string } {
  const { base } = placeOfTarget(value.target);
  const isDescription = base === 'descriptionHtml';
  if (!isDescription && (isStoreField(base) || !hasPicture(value.value))) return { value };
  const given = isDescription ? (value.raw ?? value.value) : value.value;
  const hosts = hasPicture(given) ? [...pictureHosts, ...usedHosts(live, description)] : [];
  const allowance = allowanceOf(isDescription ? merchants : null, hosts);
  const dropped: DroppedAddress[] = [];
  const isFinal = !hasPicture(given) && !hasAllowance(allowance);
  const text = isFinal
    ? value.value
    : isDescription
      ? sanitisedFor('descriptionHtml', given, allowance, dropped)
      : sanitisedText(given, allowance, dropped);
  const lines = [...new Set([...(value.dropped ?? []), ...droppedLines(dropped)])];
  if (text === '') return { unfit: `nothing is left of it: ${lines.join(', ')}` };
  const final = { ...value, ...(lines.length === 0 ? {} : { dropped: lines }) };
  return { value: { ...final, value: isDescription ? withKeptMedia(text, merchants, keep) : text } };
}

/** The hosts of the pictures that the product has already. */
function usedHosts({ images = [] }: LiveProduct, description: string | null): string[] {
  const ofImages = images.flatMap(({ address }) => hostOfAddress(address ?? '') ?? []);
  return [...ofImages, ...allowanceOf(description).pictureHosts];
}

/** Addresses in a reason at most. */
const MOST_NAMED = 5;

/** The ruling, with what the value removes in its reason: media of the merchant, and addresses of the result. */
export function withRemovals(
  ruling: Ruling,
  { target, value, dropped = [] }: IntendedValue,
  { merchants }: ShownText,
): Ruling {
  const isWritten = ruling.verdict === 'write';
  const isDescription = placeOfTarget(target).base === 'descriptionHtml';
  const lost = isWritten && isDescription ? removedMedia(value, merchants) : null;
  const named = dropped.slice(0, MOST_NAMED).join(', ');
  const more = dropped.length > MOST_NAMED ? ` and ${String(dropped.length - MOST_NAMED)} more` : '';
  const left =
    dropped.length === 0 || ruling.verdict === 'not_generated' ? null : `left out: ${named}${more}`;
  return { ...ruling, reason: [ruling.reason, lost, left].filter((part) => part !== null).join('; ') };
}
