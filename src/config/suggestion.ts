/** The share of letters in which a suggestion may differ. */
const TOLERATED_SHARE = 1 / 3;

/** The known name that is most like the given one; null when none is near. Pure. */
export function nearestName(given: string, known: Iterable<string>): string | null {
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const name of known) {
    const distance = editDistance(given.toLowerCase(), name.toLowerCase());
    if (
      distance <= Math.max(1, Math.floor(name.length * TOLERATED_SHARE)) &&
      distance < (best?.distance ?? Infinity)
    )
      best = { name, distance };
  }
  return best?.name ?? null;
}

/** The number of letters to insert, remove, replace or swap with their neighbour. */
function editDistance(one: string, other: string): number {
  let [before, last]: [number[], number[]] = [
    [],
    Array.from({ length: other.length + 1 }, (_, index) => index),
  ];
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      line.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (line[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[column - 2] ?? Infinity) + 1 : Infinity,
        ),
      );
    }
    [before, last] = [last, line];
  }
  return last[other.length] ?? 0;
}
