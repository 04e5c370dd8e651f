import { GraphQLError } from 'graphql';
import { PRODUCT_STATUSES, parseGid } from './model.js';
import type { SandboxProduct } from './model.js';

export interface SearchWarning {
  readonly field: string;
  readonly message: string;
  readonly code: 'invalid_field' | 'invalid_value';
}

export interface ProductSearch {
  readonly matches: (product: SandboxProduct) => boolean;
  readonly warnings: readonly SearchWarning[];
}

/** The zone in which the shop reads times that name none. */
const SHOP_ZONE = '-05:00';

type Matcher = (product: SandboxProduct) => boolean;

interface Term {
  readonly field: string;
  readonly comparison: string;
  readonly value: string;
}

/** The fields that a merchant's filter and store-sync itself search by. */
const TEXTS: Readonly<Record<string, (product: SandboxProduct) => readonly (string | null)[]>> = {
  handle: (product) => [product.handle],
  vendor: (product) => [product.vendor],
  product_type: (product) => [product.productType],
  tag: (product) => product.tags,
  title: (product) => [product.title],
  sku: (product) => product.variants.map((variant) => variant.sku),
  barcode: (product) => product.variants.map((variant) => variant.barcode),
};

/** A term or a connective. A colon ends an unquoted value, so `updated_at:>=2026-01-01T00:00:00Z` is two terms, the second of `00`. */
const TOKEN = /(-)?(?:([\w.]{1,60}):)?(>=|<=|>|<|=)?(?:"([^"]*)"|'([^']*)'|([^\s:()"']+))|[()]/g;

/**
 * A product search: terms side by side, `-` or `NOT` before one, and `OR`, which binds closer: `a OR b c` means `(a OR b) AND c`.
 * Unknown fields are ignored and everything is found; values that a field does not accept find nothing; the warnings alone say so.
 */
export function searchProducts(query: string): ProductSearch {
  const warnings: SearchWarning[] = [];
  /** All of them must match, each by one of its members. */
  const groups: Matcher[][] = [];
  let joins = false;
  let negated = false;
  for (const [text, minus, field, comparison, double, single, bare] of query.matchAll(TOKEN)) {
    if (text === '(' || text === ')') throw unsupported('parentheses');
    if (text === 'OR') joins = groups.length > 0;
    else if (text === 'NOT') negated = true;
    else if (text !== 'AND') {
      const value = double ?? single ?? bare ?? '';
      if (field === undefined) throw unsupported(`the text ${value}`);
      const matcher = matcherOf({ field, comparison: comparison ?? '=', value }, warnings);
      const not = negated || minus !== undefined;
      if (matcher !== null) {
        const term: Matcher = not ? (product) => !matcher(product) : matcher;
        if (joins) groups.at(-1)?.push(term);
        else groups.push([term]);
      }
      joins = false;
      negated = false;
    }
  }
  return {
    matches: (product) => groups.every((group) => group.some((matcher) => matcher(product))),
    warnings,
  };
}

/** Null for a field that there is not: the term narrows nothing. */
function matcherOf(term: Term, warnings: SearchWarning[]): Matcher | null {
  const { field, value } = term;
  const wanted = value.toLowerCase();
  const valuesOf = TEXTS[field];
  if (valuesOf !== undefined)
    return (product) => valuesOf(product).some((held) => sameText(held?.toLowerCase() ?? '', wanted));
  const refused = (): Matcher => {
    warnings.push({ field, message: `Input \`${value}\` is not an accepted value.`, code: 'invalid_value' });
    return () => false;
  };
  if (field === 'status') {
    const statuses = value.split(',').map((status) => status.trim().toUpperCase());
    if (statuses.some((status) => !PRODUCT_STATUSES.some((known) => known === status))) return refused();
    return (product) => statuses.includes(product.status);
  }
  if (field === 'id') {
    const id = Number(parseGid(value)?.id ?? value);
    return Number.isNaN(id) ? refused() : (product) => compares(product.id - id, term.comparison);
  }
  if (field === 'updated_at') {
    const time = value.replace(/T\d\d$/, '$&:00');
    const at = Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}${SHOP_ZONE}`);
    if (Number.isNaN(at)) return refused();
    return (product) => compares(wholeSeconds(product.changedAt) - at, term.comparison);
  }
  warnings.push({ field, message: 'Invalid search field for this query.', code: 'invalid_field' });
  return null;
}

/** The API writes and compares whole seconds. */
export function wholeSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000) * 1000;
}

function sameText(held: string, wanted: string): boolean {
  if (wanted === '*') return held !== '';
  return wanted.endsWith('*') ? held.startsWith(wanted.slice(0, -1)) : held === wanted;
}

function compares(difference: number, comparison: string): boolean {
  if (comparison === '=') return difference === 0;
  if (comparison.endsWith('=') && difference === 0) return true;
  return comparison.startsWith('>') ? difference > 0 : difference < 0;
}

/** An error is better than a wrong result. */
function unsupported(what: string): GraphQLError {
  return new GraphQLError(`The sandbox store does not search by ${what}.`, {
    extensions: { code: 'BAD_REQUEST' },
  });
}
