import { hostOfAddress } from '../../domain/web-address.js';
import { elementsIn, parsedHtml } from './document.js';

/**
 * The parts of a merchant's own description that a generated text may repeat, and may not have otherwise. They are frames and pictures of
 * the same hosts, and the same classes and styles.
 */
export interface MarkupAllowance {
  /** Hosts of pictures, with their ports. `any`: the live product is not known yet. */
  readonly pictureHosts: ReadonlySet<string> | 'any';
  /** Hosts, with their ports, of the addresses of frames and videos. */
  readonly embedHosts: ReadonlySet<string>;
  /** Names of classes. */
  readonly classes: ReadonlySet<string>;
  /** An element's name and the value of its `style`, as `styleKey` joins them. */
  readonly styles: ReadonlySet<string>;
}

/** The allowance of a product that was read. */
export type KnownAllowance = Omit<MarkupAllowance, 'pictureHosts'> & {
  readonly pictureHosts: ReadonlySet<string>;
};

/** For a result whose product was not read yet. Its pictures are judged when it is. */
export const NO_ALLOWANCE: MarkupAllowance = {
  pictureHosts: 'any',
  embedHosts: new Set(),
  classes: new Set(),
  styles: new Set(),
};

/** For content that no later decision reads as HTML. */
export const NO_PICTURES: MarkupAllowance = { ...NO_ALLOWANCE, pictureHosts: new Set() };

/** Elements that show content of another host, each with the attributes that a generated one may have. */
export const EMBEDS: Readonly<Record<string, readonly string[]>> = {
  iframe: ['src', 'title', 'width', 'height', 'allowfullscreen', 'frameborder', 'loading'],
  video: ['src', 'title', 'width', 'height', 'controls', 'loop', 'muted', 'playsinline', 'poster', 'preload'],
  source: ['src', 'type'],
};

export function isEmbed(name: string): boolean {
  return Object.hasOwn(EMBEDS, name);
}

export function hasAllowance({ embedHosts, classes, styles }: MarkupAllowance): boolean {
  return embedHosts.size > 0 || classes.size > 0 || styles.size > 0;
}

/**
 * The allowance that a merchant's own description gives; `pictureHosts` are further hosts of pictures. The work is linear in the
 * length of the description.
 */
export function allowanceOf(merchant: string | null, pictureHosts: Iterable<string> = []): KnownAllowance {
  const pictures = new Set(pictureHosts);
  const embedHosts = new Set<string>();
  const classes = new Set<string>();
  const styles = new Set<string>();
  const allowance = { pictureHosts: pictures, embedHosts, classes, styles };
  if (merchant === null || !/<(?:iframe|video|source|img)\b|\b(?:class|style)\s*=/i.test(merchant))
    return allowance;
  for (const { name, attribs } of elementsIn(parsedHtml(merchant))) {
    for (const host of isEmbed(name) ? hostsOf([attribs['src']]) : []) embedHosts.add(host);
    for (const host of pictureHostsOf(name, attribs)) pictures.add(host);
    for (const each of classesIn(attribs['class'] ?? '')) classes.add(each);
    const style = attribs['style'];
    if (style !== undefined && isHarmless(style)) styles.add(styleKey(name, style));
  }
  return allowance;
}

/** Attributes that hold the address of a picture. A `srcset` has several, each followed by its size. */
function pictureHostsOf(name: string, attributes: Readonly<Record<string, string>>): string[] {
  if (name === 'video') return hostsOf([attributes['poster']]);
  if (name !== 'img' && name !== 'source') return [];
  const listed = (attributes['srcset'] ?? '').slice(0, LONGEST_SRCSET).split(/[\s,]+/);
  return hostsOf([...(name === 'img' ? [attributes['src'], attributes['data-src']] : []), ...listed]);
}

const LONGEST_SRCSET = 10_000;

function hostsOf(addresses: readonly (string | undefined)[]): string[] {
  return addresses.flatMap((address) => hostOfAddress(address ?? '') ?? []);
}

/** The classes and the style of an element that the merchant's description has too. */
export function ownLook(
  element: string,
  attributes: Readonly<Record<string, string>>,
  { classes, styles }: MarkupAllowance,
): Record<string, string> {
  const kept = classesIn(attributes['class'] ?? '').filter((each) => classes.has(each));
  const style = attributes['style'];
  const hasStyle = style !== undefined && styles.has(styleKey(element, style));
  return { ...(kept.length > 0 && { class: kept.join(' ') }), ...(hasStyle && { style }) };
}

function classesIn(value: string): string[] {
  return value.split(/\s+/).filter((each) => each !== '');
}

/** A style belongs to an element: what a frame may cover, a link may not. */
function styleKey(element: string, style: string): string {
  return `${element} ${style.replaceAll(/\s+/g, '').replace(/;$/, '').toLowerCase()}`;
}

/**
 * False for a style that loads an address, runs code or leaves its place on the page. An escape or a comment may hide
 * such a style.
 */
function isHarmless(style: string): boolean {
  return !/[\\<>@]|\/\*|url\s*\(|image\s*\(|image-set|expression|javascript:|behaviou?r|binding|fixed|sticky/i.test(
    style,
  );
}
