/** Settings that the program had: their path, with `*` for any name, and the reason why none is needed. */
const REMOVED: Readonly<Record<string, string>> = {
  'queue.runsAtOnce': 'runs of all stores work side by side',
  'workspaces.*.concurrency': 'requestsPerSecond limits the requests',
  'workspaces.*.listingMaxAgeMinutes': 'the stores of a workspace share a listing for ten minutes',
  'workspaces.*.firstLoad': 'products are sent by requests. store-sync catalog upload sends a CSV file',
  'workspaces.*.assumptions.uploadCsv.encoding': 'the file is a field of a form',
  'workspaces.*.assumptions.uploadCsv.columns': 'store-sync catalog upload sends a file as it is',
  'workspaces.*.assumptions.uploadCsv.listSeparator': 'store-sync catalog upload sends a file as it is',
  'workspaces.*.assumptions.uploadCsv.maxRows': 'store-sync catalog upload sends a file as it is',
  'workspaces.*.assumptions.uploadCsv.maxBytes': 'store-sync catalog upload sends a file as it is',
  'workspaces.*.assumptions.taskFields': 'the usual names are all tried',
  'workspaces.*.assumptions.tokens': 'the usual names are all tried',
  'workspaces.*.tasks.abandonAfterHours': 'a silent task is given up after a day',
  'server.metrics': 'each store has its own series',
  'server.previousEncryptionKey': 'encryptionKey takes NEW,OLD while a rotation lasts',
  'server.limits': 'the bounds are in docs/security.md',
  'database.keepDays': 'settled history is kept for 90 days, and the journal for ever',
  'workspaces.*.assumptions.listVariants': 'the path is documented',
  'workspaces.*.assumptions.localeOnUpdate': 'texts of the configured locale go by POST, which takes it',
  'workspaces.*.productPage': 'a product page names the product of the catalog by its id',
  'stores.*.schedule.spread': 'many stores may be due at once: their runs wait in the queue',
  'stores.*.filter.giftCards': 'gift cards are never synchronised',
  'stores.*.writeBack.gates.media': 'keep says which elements of a description stay',
  'workspaces.*.assumptions.maxPages': 'a listing ends by its own count',
};

/** What to do about a setting that was removed; undefined for any other key. */
export function removedSetting(path: readonly PropertyKey[]): string | undefined {
  const parts = path.map(String);
  const place = parts[0] === 'storeTemplate' ? ['stores', 'storeTemplate', ...parts.slice(1)] : parts;
  const found = Object.entries(REMOVED).find(([setting]) => {
    const names = setting.split('.');
    return names.length === place.length && names.every((name, at) => name === '*' || name === place[at]);
  });
  return found && `no longer a setting; remove it: ${found[1]}`;
}
