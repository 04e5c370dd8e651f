import { Injectable } from '@nestjs/common';
import { errorLine, isCoded, CodedError } from '../domain/errors.js';
import { within } from '../runtime/time-limit.js';
import { Connections } from '../connections/connections.js';

/** The product as its shop has it now, or the reason why it could not be read. */
export type LiveText =
  | {
      readonly title: string;
      readonly descriptionHtml: string;
      readonly status: string;
      /** The public page; null while the product is not published. */
      readonly url: string | null;
    }
  | { readonly problem: string };

/** A page does not wait longer for a store. */
const ANSWER_WITHIN_MS = 4_000;

/** The present texts of products, read from their shops. Reads only. */
@Injectable()
export class ProductLive {
  constructor(private readonly connections: Connections) {}

  async read(storeKey: string, storeId: string): Promise<LiveText> {
    const store = this.connections.findStore(storeKey);
    if (store === undefined) return { problem: `Store “${storeKey}” is not in the configuration.` };
    try {
      const [found] = await within(ANSWER_WITHIN_MS, store.connector.readProducts([storeId]), () => {
        throw new CodedError(
          'transient',
          `the store did not answer within ${ANSWER_WITHIN_MS / 1000} seconds`,
        );
      });
      if (found === null || found === undefined) return { problem: 'the product was deleted in the store' };
      const { title, descriptionHtml, status, url } = found.snapshot();
      return { title, descriptionHtml: descriptionHtml ?? '', status, url: webPage(url) };
    } catch (error) {
      if (!isCoded(error)) throw error;
      return { problem: errorLine(error) };
    }
  }
}

/** The address if a browser may open it: a store could name any scheme. */
function webPage(address: string | null): string | null {
  const url = address === null ? null : URL.parse(address);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null;
}
