/** Limits of a JSON value from outside. */
export interface JsonBounds {
  /** Levels of nested arrays and objects. */
  readonly depth: number;
  /** Number of values, with all members and items. */
  readonly nodes: number;
}

/** Limits of a response or a delivery: ten times the size of the largest real product. */
export const ANSWER_BOUNDS: JsonBounds = { depth: 100, nodes: 1_000_000 };

/** Limits of one value within a product, such as a metafield. */
export const VALUE_BOUNDS: JsonBounds = { depth: 50, nodes: 20_000 };

/** Whether the value keeps within the bounds. Stops at the first value beyond them, so that a hostile value stays cheap. */
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
