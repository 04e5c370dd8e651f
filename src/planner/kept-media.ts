import { mediaIn, KEEPABLE_ELEMENTS, type KeepableElement, type MediaElement } from './media-elements.js';

export { KEEPABLE_ELEMENTS, type KeepableElement } from './media-elements.js';

/**
 * The generated description followed by the merchant's own elements of the given kinds, in their order. An element
 * within another kept one stays there. Elements that are already in the generated text are not repeated. `merchant`
 * is the merchant's own text, so the same elements stay however often a text is generated. Linear in the length of
 * both.
 */
export function withKeptMedia(
  generated: string,
  merchant: string | null,
  kinds: readonly KeepableElement[],
): string {
  const kept = keptElements(generated, merchant, kinds);
  return kept.length === 0 ? generated : [generated, ...kept.map(({ html }) => html)].join('\n');
}

/** The generated text alone: a final description without the merchant's elements that `withKeptMedia` put after it. */
export function withoutKeptMedia(description: string, merchant: string | null): string {
  let text = description;
  for (const { html } of mediaIn(merchant ?? '', KEEPABLE_ELEMENTS).toReversed())
    if (text.endsWith(`\n${html}`)) text = text.slice(0, -html.length - 1);
  return text;
}

/** How many of the merchant's elements a generated description would remove, by name; empty when none would go. */
export function lostMedia(
  generated: string,
  merchant: string | null,
  kept: readonly KeepableElement[],
): ReadonlyMap<KeepableElement, number> {
  const lost = new Map<KeepableElement, number>();
  const description = withKeptMedia(generated, merchant, kept);
  for (const { name } of keptElements(description, merchant, KEEPABLE_ELEMENTS))
    lost.set(name, (lost.get(name) ?? 0) + 1);
  return lost;
}

const NAMES: Readonly<Record<KeepableElement, readonly [string, string]>> = {
  img: ['image', 'images'],
  iframe: ['frame', 'frames'],
  video: ['video', 'videos'],
  table: ['table', 'tables'],
};

/** Such as `2 images and 1 table`; null for none. */
export function mediaInWords(counts: ReadonlyMap<KeepableElement, number>): string | null {
  const parts = KEEPABLE_ELEMENTS.flatMap((name) => {
    const count = counts.get(name) ?? 0;
    return count === 0 ? [] : `${String(count)} ${NAMES[name][count === 1 ? 0 : 1]}`;
  });
  const last = parts.pop();
  if (last === undefined) return null;
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}

/** The media that a final description lacks and the merchant's has, as a sentence; null for none. */
export function removedMedia(description: string, merchant: string | null): string | null {
  const lost = mediaInWords(lostMedia(description, merchant, []));
  return lost === null ? null : `it removes ${lost} of the merchant`;
}

function keptElements(
  generated: string,
  merchant: string | null,
  kinds: readonly KeepableElement[],
): MediaElement[] {
  if (merchant === null || kinds.length === 0) return [];
  const there = new Set(
    [...mediaIn(generated, KEEPABLE_ELEMENTS), ...withinTables(generated, KEEPABLE_ELEMENTS)].map(
      ({ key }) => key,
    ),
  );
  return mediaIn(merchant, kinds)
    .flatMap((element) =>
      // A generated table may have the words of the merchant's, and lack an image.
      element.name === 'table' && there.has(element.key) ? withinTables(element.html, kinds) : element,
    )
    .filter(({ key }) => !there.has(key));
}

/** Media of the given kinds but tables, those within tables too. */
function withinTables(html: string, kinds: readonly KeepableElement[]): MediaElement[] {
  return mediaIn(
    html,
    kinds.filter((kind) => kind !== 'table'),
  );
}
