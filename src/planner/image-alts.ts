import { counted } from '../domain/text.js';
import { imageKey, imageKeysIn } from '../domain/image-key.js';
import { liveImages, type LiveImage, type LiveProduct } from '../domain/store-port.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { IMAGE_ALTS, imageAltTarget } from '../domain/write-target.js';
import { effectiveValue } from '../domain/written-content.js';
import { verdict, wasSent, type FieldDecision, type KnownContent } from './field-verdict.js';
import { altList } from './generated-parts.js';

/**
 * The decision about each image's alternative text. A text is written only where there is none, or where the present one is ours. A
 * list has one text for each image of the product as the service knew it. So each text goes to that very image, wherever it stands
 * now. It is left out where the image is not found or cannot be changed.
 */
export function imageAltDecisions(
  value: IntendedValue,
  live: LiveProduct,
  context: KnownContent,
): FieldDecision[] {
  const images = liveImages(live);
  const texts = altList(value);
  const { placed, left } =
    texts === null
      ? { placed: images.map((image): PlacedText => ({ image, text: value.value })), left: [] }
      : placedTexts(texts, images, context.seen[IMAGE_ALTS]);
  const ready = placed.filter(({ image }) => image.isReady);
  const decided = ready.map(({ image, text }) => decision(value, image, text, context));
  const waiting = placed.length - ready.length;
  const reasons = [
    ...left,
    ...(waiting === 0
      ? []
      : [`${counted(waiting, 'text is', 'texts are')} left out: the store still processes the image`]),
  ];
  if (decided.length > 0 && reasons.length === 0) return decided;
  const reason = reasons.length === 0 ? 'the product has no image for it' : reasons.join('; ');
  return [...decided, { ...value, before: null, token: null, verdict: 'unfit', reason }];
}

function decision(
  value: IntendedValue,
  { id, alt }: LiveImage,
  text: string,
  context: KnownContent,
): FieldDecision {
  const target = imageAltTarget(id);
  const own = { ...value, target, value: text, type: null, partOf: value.target };
  const found = { before: alt, token: null };
  return effectiveValue(alt, context.written[target]) === null || wasSent(own, alt, context)
    ? { ...own, ...found, ...verdict(own, alt, context) }
    : { ...own, ...found, verdict: 'same', reason: 'the image has an alternative text, which stays' };
}

interface PlacedText {
  readonly image: LiveImage;
  readonly text: string;
}

/** Each text with its image, and why the others are left out. `seen`: the product's images when its content was asked for. */
function placedTexts(
  texts: readonly string[],
  images: readonly LiveImage[],
  seen: string | undefined,
): { readonly placed: PlacedText[]; readonly left: string[] } {
  if (seen === undefined)
    return { placed: [], left: ['it is not known which images the texts were written for'] };
  const open = Map.groupBy(images, ({ address }) => (address === null ? '' : imageKey(address)));
  const placed: PlacedText[] = [];
  let gone = 0;
  for (const [place, key] of imageKeysIn(seen).entries()) {
    const image = open.get(key)?.shift();
    const text = texts[place] ?? '';
    if (text === '') continue;
    if (image === undefined) gone += 1;
    else placed.push({ image, text });
  }
  const surplus = texts.slice(imageKeysIn(seen).length).filter((text) => text !== '').length;
  const left = [
    ...(gone === 0
      ? []
      : [`${counted(gone, 'text is', 'texts are')} left out: the product does not show the image now`]),
    ...(surplus === 0
      ? []
      : [`${counted(surplus, 'text is', 'texts are')} left out: the product had fewer images`]),
  ];
  return { placed, left };
}
