/** The result of `publicApiVersions`: the current version, the three before it, the release candidate, `unstable`. */
export function publicApiVersions(current: string): object[] {
  return [
    ...[-3, -2, -1, 0].map((quarters) => ({ handle: shifted(current, quarters), supported: true })),
    { handle: shifted(current, 1), supported: false },
    { handle: 'unstable', supported: false },
  ];
}

/**
 * The version that answers a request for `requested`; null for one that does not exist. Versions are supported for about a
 * year; older requests are answered by the oldest that still is.
 */
export function servedVersion(requested: string, current: string): string | null {
  if (!/^\d{4}-(01|04|07|10)$/.test(requested) || requested > shifted(current, 1)) return null;
  const oldest = shifted(current, -3);
  return requested < oldest ? oldest : requested;
}

function shifted(version: string, quarters: number): string {
  const [year = 0, month = 1] = version.split('-').map(Number);
  const index = year * 4 + (month - 1) / 3 + quarters;
  return `${Math.floor(index / 4)}-${String((index % 4) * 3 + 1).padStart(2, '0')}`;
}
