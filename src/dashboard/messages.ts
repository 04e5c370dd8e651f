/** Every sentence that the dashboard shows. Labels of one or two words stay in their templates. */
export const messages = {
  // Empty lists, and rows that do not exist
  noDeliveries: 'No deliveries match this filter.',
  noWriteBacks: 'No write-backs match this filter.',
  noProducts: 'No products match this filter.',
  noRuns: 'No runs match this filter.',
  noReviews: 'No texts are waiting for review.',
  noStores: 'No stores are configured. Add one to the configuration file.',
  noTimeline: 'This product has no events yet.',
  noRunYet: 'This store has no runs yet.',
  noProductNamed: (name: string): string =>
    `No product has the external_id, SKU, barcode or handle “${name}”.`,
  unknownProduct: (id: string): string => `No product found for “${id}”.`,
  unknownDelivery: (id: string): string => `No delivery found for “${id}”.`,
  unknownRun: (id: string): string => `No run found for “${id}”.`,
  unknownWriteBack: (id: string): string => `No write-back found for “${id}”.`,
  unknownStore: (key: string): string => `Store “${key}” is not in the configuration.`,
  noChanges: 'No changes are recorded.',
  noFile: 'This file does not exist.',

  // Decisions
  acceptOne: 'accept at least one field, or reject the write-back',
  decidedAlready: (state: string): string => `this write-back is already ${state} and cannot be approved`,
  noDeliveryChosen: 'Select at least one delivery.',
  noProductChosen: 'Select at least one product.',
  nothingDecided: 'no decision was received: choose approve or reject',
  media: (element: string, alt: string, address: string): string => {
    const kinds: Readonly<Record<string, string>> = { img: 'Image', iframe: 'Embedded page', video: 'Video' };
    return `${kinds[element] ?? 'Media'}${alt === '' ? '' : ` “${alt}”`}: ${address === '' ? 'no address' : address}`;
  },
  nothingToRender: 'This field has no text to show.',
  runRequested: 'The run was requested.',
  runUnderWay: 'This store already has an active run, shown here.',
  approveChosen: 'approve selected',
  rejectChosen: 'reject selected',
  approvedFields: (fields: string): string => `approved${fields}; it is written next`,
  backToList: 'back to the list',

  // Signing in
  dashboardOff: 'The dashboard is off. Set server.adminToken to use it.',
  tooManyTokens: (seconds: number): string => `Too many wrong tokens. Try again in ${seconds} seconds.`,
  wrongToken: 'This token is not correct.',
  signInRefused: 'a sign-in with a wrong token was refused',
  notSignedIn: 'You are not signed in.',
  otherSession: 'This form belongs to another session. Reload the page and try again.',
  readOnlyQueues: 'The queue view is read-only.',

  // Errors
  unforeseenLog: 'a page failed with an unexpected error',
  unforeseen: 'An internal error occurred. The log has the details.',
  unlinked: 'the product is no longer linked',
  deletedInStore: 'the product was deleted in the store',
  storeSilent: (seconds: number): string => `the store did not answer within ${seconds} seconds`,

  // Overview
  capped: (count: number, limit: string): string => `${count} writes wait: limits.${limit} is reached`,
  gated: (count: number, gate: string): string => `${count} held back by the gate ${gate}`,
  unmapped: (count: number): string => `${count} generated values have no place in the settings`,
  writingPaused: (store: string): string => `Writing to store ${store} is paused`,
  storePaused: (store: string): string => `Store ${store} is paused`,
  noPauseReason: 'The store gave no reason.',
  pausedTimes: (since: string, nextTry: string): string =>
    `Paused since ${since} UTC. The next try is at ${nextTry} UTC. Other stores are not affected.`,
  pendingWrites: (count: number): string => `Pending writes of this store: ${count}`,
  storeWorksAgain: (store: string, writes: string, runs: string): string =>
    `Store ${store} works again. ${writes} and ${runs} continue now.`,
  storeStillRefuses: (store: string, reason: string): string =>
    `Store ${store} still refuses access: ${reason}`,
  waitingForReview: 'Waiting for review',
  resultsAwaited: 'Generations in progress',
  deliveriesToInterpret: 'Deliveries to process',
  writesToMake: 'Pending writes',
  generationsGivenUp: 'Generations abandoned',
  notReported: 'not reported yet',
  notChecked: 'not checked yet',
  gone: 'no longer in the store; the catalog keeps them',
  withoutContent: 'without content, newest first',

  // Runs
  askedForBy: (kind: string, trigger: string): string => `${kind}, requested by ${trigger}`,
  generationsRequested: 'generations requested',
  runWaits: 'Waiting for a worker',
  runReads: 'Reading the store and planning',
  runApplies: 'Sending changes to the catalog',
  runPartial: 'Completed, except for some products',
  runStopping: 'Stopping at the next safe point',
  runStops: 'The run stops at its next safe point. Its other products are owed to the next run.',
  runStopped: 'The run was cancelled.',
  runEndedAlready: 'The run has ended already.',
  retryFailures: 'Run the failures again',
  requestsOfRun: (catalog: string, store: string): string =>
    `${catalog} to the catalog, ${store} to the store`,
  runSpeed: (perSecond: string, left: string): string => `, ${perSecond} per second, about ${left} left`,
  stepsOfRun: 'The steps of the run, with their durations',
  steps: {
    export: 'Export',
    plan: 'Plan',
    apply: 'Send changes',
    creations: 'Follow creations',
    generation: 'Request content',
  },
  outcomes: {
    failed: 'failed',
    planned: 'planned',
    created: 'created',
    updated: 'updated',
    orphaned: 'gone',
    conflicted: 'conflicted',
    owed: 'owed',
    generationRequested: 'content requested',
  },
  noItems: 'No products match this filter.',
  searchItems: 'Title, external_id, SKU or barcode',
  sentFields: 'Sent fields',
  runDone: 'Completed',
  readingTheStore: 'Reading the store',
  sentToCatalog: 'Changes sent to the catalog',
  chartNoFailures: 'none failed',
  chartNothing: 'no products',
  notStarted: 'not started',

  // Write-backs and deliveries
  reviewIntro: 'with generated content. Nothing is written to the store before you approve it.',
  allOnPage: 'all on this page',
  storeUnread: (problem: string): string => `The current values of the store could not be read: ${problem}.`,
  sameWords: 'The text is the same. Only the markup differs.',
  restOmitted: 'The rest is omitted here.',
  approveAccepted: 'Approve accepted fields',
  inTheStoreNow: 'Current store value',
  writeBackGone: (id: string): string => `no write-back found for “${id}”`,

  // Audit
  auditIntro: 'Changes that people requested, newest first.',

  // Layout
  skip: 'Skip to content',
  keysOn: 'Keys are on',
  tokenIs: 'The token is the value of the setting',
  tokenOr: 'or one of the tokens in',
  readUpTo: 'Read up to',
  owedToNextRun: 'Owed to the next run',
  chartColours: 'Colours of the chart',
  allOfThem: 'Show all of them',
  searchLabel: 'external_id, SKU, barcode or handle',
  lastRuns: (count: number, store: string, failures: string): string =>
    `The last ${count} runs of ${store}, oldest first; ${failures}`,
  notWritten: 'Generated, but not written',
  storeCannotHold: 'the store cannot hold it',
} as const;
