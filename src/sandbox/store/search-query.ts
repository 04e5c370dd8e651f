/** The search syntax of the Admin API, with the habits that were recorded of it. */

export type Comparison = 'eq' | 'lt' | 'lte' | 'gt' | 'gte';

export interface SearchTerm {
  readonly kind: 'term';
  /** Null for bare text. */
  readonly field: string | null;
  readonly comparison: Comparison;
  readonly value: string;
  readonly quoted: boolean;
}

export type SearchNode =
  | SearchTerm
  | { readonly kind: 'and' | 'or'; readonly of: readonly SearchNode[] }
  | { readonly kind: 'not'; readonly of: SearchNode };

type Token = { readonly kind: '(' | ')' | 'AND' | 'OR' | 'NOT' } | SearchTerm;

/**
 * Parses a search. It never fails: a dangling `OR` or an open parenthesis is passed over. `a OR b c` means `(a OR b) AND c`.
 * A colon ends an unquoted value, so `updated_at:>=2026-01-01T00:00:00Z` is two terms, the second of a field `00`.
 */
export function parseSearch(query: string): SearchNode {
  return new Parser(tokens(query)).all();
}

export function termsOf(node: SearchNode): SearchTerm[] {
  if (node.kind === 'term') return [node];
  return node.kind === 'not' ? termsOf(node.of) : node.of.flatMap(termsOf);
}

/** The `parsed` of a search warning. */
export function describeSearch(node: SearchNode, valueOf: (term: SearchTerm) => string): unknown {
  if (node.kind === 'not') return { not: describeSearch(node.of, valueOf) };
  if (node.kind !== 'term') return { [node.kind]: node.of.map((child) => describeSearch(child, valueOf)) };
  // `<` was recorded as range_lte, too.
  const names = {
    eq: node.quoted ? 'match_phrase' : 'match_all',
    lt: 'range_lte',
    lte: 'range_lte',
    gt: 'range_gte',
    gte: 'range_gte',
  };
  return { field: node.field ?? 'default', [names[node.comparison]]: valueOf(node) };
}

class Parser {
  private at = 0;

  constructor(private readonly input: readonly Token[]) {}

  all(): SearchNode {
    const parts: SearchNode[] = [];
    while (this.at < this.input.length) {
      const part = this.conjunction();
      if (part) parts.push(part);
      else this.at += 1; // a closing parenthesis or connective that closes nothing
    }
    return combined('and', parts);
  }

  private conjunction(): SearchNode | null {
    const parts: SearchNode[] = [];
    for (;;) {
      if (this.next('AND')) continue;
      const part = this.disjunction();
      if (!part) return parts.length === 0 ? null : combined('and', parts);
      parts.push(part);
    }
  }

  private disjunction(): SearchNode | null {
    const first = this.single();
    if (!first) return null;
    const parts = [first];
    while (this.next('OR')) {
      const part = this.single();
      if (part) parts.push(part);
    }
    return combined('or', parts);
  }

  private single(): SearchNode | null {
    if (this.next('NOT')) {
      const negated = this.single();
      return negated && { kind: 'not', of: negated };
    }
    if (this.next('(')) {
      const inner = this.conjunction();
      this.next(')');
      return inner;
    }
    const token = this.input[this.at];
    if (token?.kind !== 'term') return null;
    this.at += 1;
    return token;
  }

  private next(kind: Token['kind']): boolean {
    if (this.input[this.at]?.kind !== kind) return false;
    this.at += 1;
    return true;
  }
}

function combined(kind: 'and' | 'or', parts: readonly SearchNode[]): SearchNode {
  const [only] = parts;
  return parts.length === 1 && only ? only : { kind, of: parts };
}

const QUOTED = /(["'])((?:\\.|(?!\1)[\s\S])*)\1/y;
const PARENTHESIS = /[()]/y;
const NEGATION = /-(?=\S)/y;
const FIELD = /([^\s:()"']+):(>=|<=|>|<|=)?/y;
const VALUE = /[^\s:)]*/y;
const WORD = /[^\s:()]+/y;
const COMPARISONS: Readonly<Record<string, Comparison>> = { '>=': 'gte', '<=': 'lte', '>': 'gt', '<': 'lt' };

function tokens(query: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(query);
    if (match) at = pattern.lastIndex;
    return match;
  };
  const quoted = (): string | undefined => take(QUOTED)?.[2]?.replaceAll(/\\(.)/g, '$1');
  const next = (): Token | null => {
    const parenthesis = take(PARENTHESIS)?.[0];
    if (parenthesis === '(' || parenthesis === ')') return { kind: parenthesis };
    if (take(NEGATION)) return { kind: 'NOT' };
    const phrase = quoted();
    if (phrase !== undefined) return term(null, phrase, true);
    const field = take(FIELD);
    if (field) {
      const text = quoted();
      return term(
        field[1] ?? null,
        text ?? take(VALUE)?.[0] ?? '',
        text !== undefined,
        COMPARISONS[field[2] ?? ''],
      );
    }
    const word = take(WORD)?.[0];
    if (word === 'AND' || word === 'OR' || word === 'NOT') return { kind: word };
    return word === undefined ? null : term(null, word, false);
  };
  while (at < query.length) {
    const token = next();
    if (token) found.push(token);
    else at += 1; // white space, and the colon that ended an unquoted value
  }
  return found;
}

function term(
  field: string | null,
  value: string,
  quoted: boolean,
  comparison: Comparison = 'eq',
): SearchTerm {
  return { kind: 'term', field, comparison, value, quoted };
}
