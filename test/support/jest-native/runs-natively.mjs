/** Coverage needs Jest's own loader, which instruments what it loads; watching needs it to load changed files again. */
export function runsNatively({ collectCoverage, watch, watchAll }) {
  return !collectCoverage && !watch && !watchAll;
}
