import { Injectable } from '@nestjs/common';
import { ProductNames } from '../operations/product-names.js';
import { Connections } from '../connections/connections.js';
import { html, type Html } from './html.js';

/** Twice the size on the page, for screens with two dots per pixel. */
const SIZE = 48;
const SHOPIFY_CDN = 'https://cdn.shopify.com';

/**
 * Small product images for lists and pages. The address is that of the store's own product, never of a catalog result, and the
 * pages' policy lets the browser load images from the stores' own hosts alone (docs/security.md).
 */
@Injectable()
export class Thumbnails {
  constructor(
    private readonly products: ProductNames,
    private readonly connections: Connections,
  ) {}

  /** Addresses by external_id. A product without an image on one of the stores' hosts is absent. */
  async of(externalIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const origins = imageOriginsOf(this.connections);
    const images = await this.products.images(externalIds);
    return new Map(
      [...images].flatMap(([externalId, address]) => {
        const small = smallImage(address, origins);
        return small === null ? [] : [[externalId, small] as const];
      }),
    );
  }
}

/** The origins of the images of all configured stores. */
export function imageOriginsOf(connections: Pick<Connections, 'stores'>): readonly string[] {
  return [...new Set(connections.stores.flatMap(({ connector }) => connector.imageOrigins))].sort();
}

/** Null for an address that is none, or that is of another origin. Shopify's CDN scales images. */
export function smallImage(address: string, origins: readonly string[]): string | null {
  const url = URL.parse(address);
  if (url === null || !origins.includes(url.origin) || url.username !== '' || url.password !== '')
    return null;
  if (url.origin === SHOPIFY_CDN) url.searchParams.set('width', String(2 * SIZE));
  return url.href;
}

/** The product's name stands beside it, so the image has no text of its own. Without an image its place stays empty. */
export function thumbnail(address: string | undefined): Html {
  if (address === undefined) return html`<span class="thumb" aria-hidden="true"></span>`;
  return html`<img
    class="thumb"
    src="${address}"
    alt=""
    width="${SIZE}"
    height="${SIZE}"
    loading="lazy"
    decoding="async"
    referrerpolicy="no-referrer"
  />`;
}
