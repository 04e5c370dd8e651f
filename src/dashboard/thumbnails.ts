import { Injectable } from '@nestjs/common';
import { ProductNames } from '../operations/product-names.js';
import { Connections } from '../connections/connections.js';
import type { StoreConnector } from '../domain/store-port.js';
import { html, type Html } from './html.js';

/** Twice the size on the page, for screens with two dots per pixel. */
const SIZE = 48;

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
    const connectors = this.connections.stores.map(({ connector }) => connector);
    const images = await this.products.images(externalIds);
    return new Map(
      [...images].flatMap(([externalId, address]) => {
        const small = smallImage(address, connectors);
        return small === null ? [] : [[externalId, small] as const];
      }),
    );
  }
}

/** The origins of the images of all configured stores. */
export function imageOriginsOf(connections: Pick<Connections, 'stores'>): readonly string[] {
  return [...new Set(connections.stores.flatMap(({ connector }) => connector.imageOrigins))].sort();
}

/** The address of a small image. Null for an invalid address, and for one outside of the stores' own hosts. */
export function smallImage(
  address: string,
  connectors: readonly Pick<StoreConnector, 'imageOrigins' | 'scaledImage'>[],
): string | null {
  const url = URL.parse(address);
  if (url?.username !== '' || url.password !== '') return null;
  const own = connectors.find(({ imageOrigins }) => imageOrigins.includes(url.origin));
  return own?.scaledImage(url, 2 * SIZE).href ?? null;
}

/** The image has no alternative text, because the product's name stands beside it. Without an image its place stays empty. */
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
