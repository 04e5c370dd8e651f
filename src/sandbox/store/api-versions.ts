/** Quarterly versions are supported for about a year; older requests are answered by the oldest that still is. */

/** The version that answers a request for `requested`; null for one that does not exist. */
export function servedVersion(requested: string, current: string): string | null {
  if (requested === 'unstable' || requested === current) return requested;
  if (!/^\d{4}-(01|04|07|10)$/.test(requested)) return null;
  const supported = supportedVersions(current);
  const newest = nextVersion(current);
  if (requested > newest) return null;
  const oldest = supported[0] ?? current;
  return requested < oldest ? oldest : requested;
}

/** The result of `publicApiVersions`: the supported versions, the release candidate, `unstable`. */
export function publicApiVersions(current: string): object[] {
  const candidate = nextVersion(current);
  return [
    ...supportedVersions(current).map((handle) => apiVersionView(handle, true)),
    apiVersionView(candidate, false),
    apiVersionView('unstable', false),
  ];
}

export function apiVersionView(handle: string, supported: boolean): object {
  const note = supported ? '' : ' (Release candidate)';
  return { handle, displayName: handle === 'unstable' ? 'unstable' : `${handle}${note}`, supported };
}

/** The current version and the three before it, oldest first. */
function supportedVersions(current: string): string[] {
  return [-3, -2, -1, 0].map((quarters) => shifted(current, quarters));
}

function nextVersion(current: string): string {
  return shifted(current, 1);
}

function shifted(version: string, quarters: number): string {
  const [year = 0, month = 1] = version.split('-').map(Number);
  const index = year * 4 + (month - 1) / 3 + quarters;
  return `${Math.floor(index / 4)}-${String((index % 4) * 3 + 1).padStart(2, '0')}`;
}
