/** Settings that the program had: their path, with `*` for any name, and what to do now. */
const REMOVED: Readonly<Record<string, string>> = {
  'queue.runsAtOnce': 'no longer a setting; remove it: runs of all stores work side by side',
  'workspaces.*.concurrency':
    'no longer a setting; remove it: requestsPerSecond and the answers of the service set the pace',
  'workspaces.*.listingMaxAgeMinutes':
    'no longer a setting; remove it: the stores of a workspace share a listing for ten minutes',
  'workspaces.*.firstLoad':
    'no longer a setting; remove it: products are sent by requests. store-sync catalog upload sends a CSV file',
  'workspaces.*.assumptions.uploadCsv.encoding':
    'no longer a setting; remove it: the file is a field of a form',
  'workspaces.*.assumptions.uploadCsv.columns':
    'no longer a setting; remove it: store-sync catalog upload sends a file as it is',
  'workspaces.*.assumptions.uploadCsv.listSeparator':
    'no longer a setting; remove it: store-sync catalog upload sends a file as it is',
  'workspaces.*.assumptions.uploadCsv.maxRows':
    'no longer a setting; remove it: store-sync catalog upload sends a file as it is',
  'workspaces.*.assumptions.uploadCsv.maxBytes':
    'no longer a setting; remove it: store-sync catalog upload sends a file as it is',
  'workspaces.*.assumptions.taskFields': 'no longer a setting; remove it: the usual names are all tried',
  'workspaces.*.assumptions.tokens': 'no longer a setting; remove it: the usual names are all tried',
  'workspaces.*.tasks.abandonAfterHours':
    'no longer a setting; remove it: a silent task is given up after a day',
  'server.metrics': 'no longer a setting; remove it: each store has its own series',
  'server.limits': 'no longer a setting; remove it: the bounds are in docs/security.md',
  'workspaces.*.assumptions.maxPages': 'no longer a setting; remove it: a listing ends by its own count',
};

/** What to do about a setting that was removed; undefined for any other key. */
export function removedSetting(path: readonly PropertyKey[]): string | undefined {
  const parts = path.map(String);
  const found = Object.entries(REMOVED).find(([setting]) => {
    const names = setting.split('.');
    return names.length === parts.length && names.every((name, at) => name === '*' || name === parts[at]);
  });
  return found?.[1];
}
