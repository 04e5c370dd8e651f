import type { Request } from 'express';
import { z } from 'zod';
import { parseOrRefuse } from './errors.js';
import { queryValues, single, wholeNumber } from './query.js';

const MAX_PAGE_SIZE = 500;

const pageQuery = z.object({
  page: single(wholeNumber.refine((page) => page > 0, 'Pages count from 1.')),
  page_size: single(wholeNumber.refine((size) => size > 0, 'A page holds at least one entry.')),
});

export interface PageRequest {
  readonly page: number;
  /** At most 500: larger values are reduced to it. */
  readonly size: number;
  readonly offset: number;
}

export interface Page<Item> {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly Item[];
}

export function pageRequest(url: string, defaultSize: number): PageRequest {
  const { page = 1, page_size: size = defaultSize } = parseOrRefuse(pageQuery, queryValues(url));
  const bounded = Math.min(size, MAX_PAGE_SIZE);
  return { page, size: bounded, offset: (page - 1) * bounded };
}

/**
 * A page of a listing: docs/catalog-rules.md#get-products. The neighbours have the address that the client used, and keep its filters.
 * A page beyond the end is empty, so that a walk which loses products on its way still ends well.
 */
export function pageOfResults<Item>(
  request: Request,
  { page, size }: PageRequest,
  count: number,
  results: readonly Item[],
): Page<Item> {
  const neighbour = (number: number): string => {
    const url = new URL(request.originalUrl, `${request.protocol}://${request.get('host') ?? ''}`);
    url.searchParams.set('page', String(number));
    return url.href;
  };
  const last = Math.max(1, Math.ceil(count / size));
  return {
    count,
    next: page < last ? neighbour(page + 1) : null,
    previous: page > 1 ? neighbour(Math.min(page - 1, last)) : null,
    results,
  };
}
