/** Words for the states of rows that a merchant would not understand. */
const WORDS: Readonly<Record<string, string>> = {
  linked: 'in the catalog',
  pending: 'being created',
  orphaned: 'gone from the store',
  conflicted: 'edited in the shop',
  pending_review: 'waits for review',
  ready: 'about to be written',
  applied: 'live',
  owed: 'put off',
  no_urls: 'no sources',
  no_sources: 'no sources',
  not_mapped: 'not mapped',
  with: 'generated',
  without: 'not generated',
  requested: 'being generated',
};

/** The states of a product's link, in words. */
export const LINK_WORDS: Readonly<Record<string, string>> = { ...WORDS, conflicted: 'shared SKU' };

export function words(name: string): string {
  return WORDS[name] ?? name.replaceAll('_', ' ');
}

/** Rows by state, as `37 in the catalog, 2 wait for review`; `none` for none. */
export function countedStates(
  counts: Readonly<Record<string, number>>,
  names: Readonly<Record<string, string>> = {},
): string {
  return (
    Object.entries(counts)
      .map(([state, count]) => {
        const word = names[state] ?? words(state);
        return `${String(count)} ${count === 1 ? word : word.replace(/^waits\b/, 'wait')}`;
      })
      .join(', ') || 'none'
  );
}
