import { attributesOf, walkHtml } from './walk.js';

/**
 * The parts of a merchant's own description that a generated text may repeat, and may not have otherwise: frames of the
 * same hosts, and the same classes and styles.
 */
export interface MarkupAllowance {
  /** Hosts, with their ports, of the addresses of frames and videos. */
  readonly embedHosts: ReadonlySet<string>;
  /** Names of classes. */
  readonly classes: ReadonlySet<string>;
  /** An element's name and the value of its `style`, as `styleKey` joins them. */
  readonly styles: ReadonlySet<string>;
}

export const NO_ALLOWANCE: MarkupAllowance = {
  embedHosts: new Set(),
  classes: new Set(),
  styles: new Set(),
};

/** Elements that show content of another host, each with the attributes that a generated one may have. */
export const EMBEDS: Readonly<Record<string, readonly string[]>> = {
  iframe: ['src', 'title', 'width', 'height', 'allowfullscreen', 'frameborder', 'loading'],
  video: ['src', 'title', 'width', 'height', 'controls', 'loop', 'muted', 'playsinline', 'poster', 'preload'],
  source: ['src', 'type'],
};

export function isEmbed(name: string): boolean {
  return Object.hasOwn(EMBEDS, name);
}

/** Undefined where the merchant's description embeds nothing. */
export function embedAttributes(
  name: string,
  { embedHosts }: MarkupAllowance,
): readonly string[] | undefined {
  return isEmbed(name) && embedHosts.size > 0 ? EMBEDS[name] : undefined;
}

export function hasAllowance({ embedHosts, classes, styles }: MarkupAllowance): boolean {
  return embedHosts.size > 0 || classes.size > 0 || styles.size > 0;
}

/** The allowance that a merchant's own description gives. The work is linear in its length. */
export function allowanceOf(merchant: string | null): MarkupAllowance {
  if (merchant === null || !/<(?:iframe|video|source)\b|\b(?:class|style)\s*=/i.test(merchant))
    return NO_ALLOWANCE;
  const embedHosts = new Set<string>();
  const classes = new Set<string>();
  const styles = new Set<string>();
  walkHtml(merchant, {
    open: (name, source) => {
      const attributes = attributesOf(source);
      const host = isEmbed(name) ? hostOf(attributes.get('src') ?? '') : null;
      if (host !== null) embedHosts.add(host);
      for (const each of classesIn(attributes.get('class') ?? '')) classes.add(each);
      const style = attributes.get('style');
      if (style !== undefined && isHarmless(style)) styles.add(styleKey(name, style));
    },
    close: () => undefined,
    text: () => undefined,
  });
  return { embedHosts, classes, styles };
}

/** The classes and the style of an element that the merchant's description has too. */
export function ownLook(
  element: string,
  attributes: ReadonlyMap<string, string>,
  { classes, styles }: MarkupAllowance,
): [string, string][] {
  const kept = classesIn(attributes.get('class') ?? '').filter((each) => classes.has(each));
  const style = attributes.get('style');
  const hasStyle = style !== undefined && styles.has(styleKey(element, style));
  return [
    ...(kept.length === 0 ? [] : [['class', kept.join(' ')] as [string, string]]),
    ...(hasStyle ? [['style', style] as [string, string]] : []),
  ];
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

/** The host of an absolute web address; null for any other. */
function hostOf(given: string): string | null {
  const address = given.trim();
  const url = URL.parse(address.startsWith('//') ? `https:${address}` : address);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname.includes('.') ? url.host : null;
}
