/** What a JSON value from outside may have at most. */
export interface JsonBounds {
  /** Levels of arrays and objects in one another. */
  readonly depth: number;
  /** Values in all, members and items included. */
  readonly nodes: number;
}

/** Of an answer or a delivery: ten times what the largest real product has. */
export const ANSWER_BOUNDS: JsonBounds = { depth: 100, nodes: 1_000_000 };

/** Of one value within a product, such as a metafield. */
export const VALUE_BOUNDS: JsonBounds = { depth: 50, nodes: 20_000 };

/** Whether the value keeps within the bounds. Looks at no more of it than they allow, and never deeper. */
export function isWithin(value: unknown, bounds: JsonBounds): boolean {
  let nodes = 0;
  const fits = (member: unknown, depth: number): boolean => {
    nodes += 1;
    if (nodes > bounds.nodes) return false;
    if (typeof member !== 'object' || member === null) return true;
    if (depth >= bounds.depth) return false;
    if (Array.isArray(member)) return member.every((item) => fits(item, depth + 1));
    return Object.values(member).every((item) => fits(item, depth + 1));
  };
  return fits(value, 0);
}
