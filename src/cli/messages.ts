import type { PresentedWithheld } from '../operations/withheld.js';

const countedWriteBacks = (count: number, which = ''): string =>
  `${count} ${which}${count === 1 ? 'write-back' : 'write-backs'}`;

/** Every sentence that commands print. Names of counts and states stay where they are formatted. */
export const messages = {
  // Descriptions of commands and arguments
  applyDoes: 'applies exactly a saved plan, and refuses each entry that changed since',
  applyId: 'id of a plan that `plan --save` stored',
  applyUsage: 'apply PLAN_ID',
  json: 'prints one JSON document',
  auditDoes: 'shows who changed what by API, dashboard and commands, newest first',
  checkDoes: 'reads the configuration, then tests each part of the setup',
  configFlag: 'configuration file; default: the file named by STORE_SYNC_CONFIG',
  missingOption: (flags: string): string => `error: required option '${flags}' not specified`,
  completionDoes: 'prints a completion script for the shell: source <(store-sync completion bash)',
  deliveriesDoes: 'shows and replays webhook deliveries',
  deliveriesActions: 'list (default) | show ID | replay ID…',
  deliveryIds: 'ids of deliveries',
  demoDoes: 'runs the whole loop on this machine: embedded PostgreSQL, sandbox catalog and sandbox store',
  demoProducts: 'a Shopify product export (CSV) instead of the built-in catalogue',
  noDemo: 'this installation has no demo: run it in a checkout, or in the image with --target full',
  demoKeep: 'keeps the daemon running after the loop, and prints its address',
  driftDoes:
    'compares the live store with the journal, read-only: edited, overwritten, deleted or unpublished',
  storeFlag: 'key of the store in the configuration',
  retryDoes: "ends a store's pause: tries the store now, and wakes the work that waits for it",
  storeWorks: (store: string, writeBacks: number, runs: number): string =>
    `store ${store} works: woke ${writeBacks} write-backs and ${runs} runs`,
  storeRefuses: (store: string, reason: string): string => `store ${store} is still refused: ${reason}`,
  storePaused: (scope: string, since: string, nextTry: string, reason: string): string =>
    `PAUSED (${scope}) since ${since}, next try ${nextTry}: ${reason}`,
  generateDoes: 'requests generation for the given products, or for all without content',
  generateIds: 'external_ids, SKUs, barcodes or handles; default: all products without content',
  generateForce: 'also products whose generation succeeded',
  listState: 'list: only rows in this state',
  listStore: 'list: only rows of this store',
  listOffset: 'list: number of rows to skip',
  initDoes: 'asks for what is needed, tests each answer, and writes the configuration and its secrets',
  initOut: 'the configuration file to write; secrets go to a directory beside it, such as store-sync.secrets',
  initStore: 'key of the store in the configuration',
  initEndpoint: 'base URL in place of https://SHOP: a proxy, the sandbox, a test',
  initSecret: (variable: string): string =>
    `file that holds the secret; otherwise ${variable} of the environment`,
  initForce: 'replaces files that exist',
  migrateDoes: 'applies migrations and stops',
  planDoes: 'shows what a sync would do and why, product by product; writes nothing',
  planSave: 'stores the plan for review; store-sync apply PLAN_ID applies it',
  productsDoes: "lists products with their states and reasons, and shows one product's timeline",
  productsActions: 'list (default) | show ID',
  productsSearch: 'list: only products with this text in the title, handle or external_id, or this SKU',
  productsShown: (shown: number, total: number): string => `${shown} of ${total} products`,
  productsId: 'an external_id, SKU, barcode or handle',
  reloadRefused: 'the changed configuration is not used; the one before stays in force',
  onlyReads: 'this command only reads',
  rolesFlag: 'what this process does: receive, work, admin, separated by commas; default: server.roles',
  runsDoes: 'shows runs and their products by outcome, with reasons, and cancels a run',
  runsActions: 'list (default) | show ID | cancel ID',
  runId: 'id of a run',
  runOutcome: 'show: only products with this outcome, for example failed or created',
  runSearch: 'show: only products with this text in the title or external_id, or this SKU',
  startDoes: 'runs the daemon: HTTP server, schedules and queue workers',
  statusDoes: 'shows stores, last runs, backlog, dead letters and credits',
  fullFlag: 'reads the whole store, not only changed products',
  syncDoes: 'runs one sync to its end: extract, plan, apply, request generation',
  syncForce: 'ignores the share limits',
  webhookDoes: "shows, registers or removes the workspace's one webhook configuration",
  webhookActions: 'show (default) | register | remove',
  workspaceFlag: 'only this workspace, by its key in the configuration',
  webhookForce: 'replaces a URL of another system, too',
  writeBacksDoes: 'reviews and reverts write-backs to the store',
  writeBackActions:
    'list (default) | show ID | approve ID… | reject ID… | undo ID… | revert ID… | reapply ID…; or with --all or --run',
  writeBackAll: 'all write-backs that --store, --run and --filter select',
  writeBackRun: 'write-backs of the run with this id',
  writeBackFilter:
    'name=value, also several times: state, field, outcome, gate, fate, actor, search, day, from, to, externalId',
  writeBackDryRun: 'revert: shows what would be restored and what would be left; writes nothing',
  writeBackReason: 'reject: why',
  yesFlag: 'confirms the change without a question',
  writeBacksUsage: 'write-backs show ID',
  writeBackIds: 'ids of write-backs',

  // Bulk changes
  nothingMatches: 'no write-backs match',
  confirmByFlag: (question: string): string => `${question} Repeat the command with --yes to confirm.`,
  notConfirmed: 'not confirmed: nothing was changed',
  confirmBulk: (action: 'approve' | 'reject' | 'revert' | 'reapply', count: number): string =>
    ({
      approve: `Approve ${countedWriteBacks(count)}, and write ${count === 1 ? 'it' : 'them'} to the live shop?`,
      reject: `Reject ${countedWriteBacks(count)}?`,
      revert: `Revert ${countedWriteBacks(count)} in the live shop?`,
      reapply: `Write the texts of ${countedWriteBacks(count, 'reverted ')} to the live shop again?`,
    })[action],
  leftAsItIs: 'left as it is',
  bulkGone: (id: string): string => `bulk change ${id} no longer exists`,
  bulkUnfinished: (id: string, state: string, reason: string): string =>
    `bulk change ${id} is ${state}: ${reason}; a running daemon continues a queued one`,
  wouldRevert: (matching: number, done: number, refused: number): string =>
    `${countedWriteBacks(matching)}: ${done} would be reverted, ${refused} would be left as they are; nothing was written`,
  bulkDone: (action: string, matching: number, done: number, refused: number): string =>
    `${action}: ${done} of ${matching} write-backs done, ${refused} left as they are`,
  bulkOrIds: (action: string): string => `write-backs ${action} takes either ids, or --all or --run`,
  allNeedsStore: 'name the store with --store, or a run with --run',
  onlyRevertIsDry: '--dry-run belongs to revert with --all or --run',
  bulkNeedsAction: (action: string): string => `write-backs ${action} does not take --all or --run`,
  optionOfReject: '--reason belongs to reject with ids',
  /** `setting`: the one that would map it; null where the store cannot hold the value. */
  notWritten: (from: string, setting: string | null, excerpt: string): string =>
    setting === null
      ? `${from}: unusable, the store cannot hold ${excerpt}`
      : `${from}: not mapped (${setting} would write ${excerpt})`,
  sourceLine: (origin: string, score: string, url: string): string => `source ${origin}${score}: ${url}`,
  givenSource: 'given',
  foundSource: 'found',
  creditsUsed: (credits: number): string => `credits consumed: ${credits}`,
  cameAs: (text: string): string => `came as ${text}; edited by a person`,
  decidedBy: (actor: string, at: string): string => `decided by ${actor} at ${at}`,
  changedBy: (actor: string, at: string): string =>
    `last changed by ${actor} at ${at}, and waits for a decision`,

  // Results
  noStoreYet:
    'No store is configured. Run store-sync init, or copy config/example.yaml, and pass your file with --config.',
  noStoresYet:
    'There are no stores yet. Configure one by store-sync init, or let a merchant install the app.',
  migrationsApplied: (detail: string): string => `${detail}, all migrations applied`,
  startApplies: 'the start command applies them',
  runMigrate: 'run store-sync migrate',
  queueInPostgres: 'runs on PostgreSQL',
  redisAnswers: 'Redis answers',
  nothingToMigrate: 'no migrations are pending',
  planApplied: (id: string, taken: number, entries: number, refused: number): string =>
    `plan ${id}: ${taken} of ${entries} entries are still valid, ${refused} refused`,
  deliveriesShown: (shown: number, total: number): string => `${shown} of ${total} deliveries`,
  writeBacksShown: (shown: number, total: number): string => `${shown} of ${total} write-backs`,
  runsShown: (shown: number, total: number): string => `${shown} of ${total} runs`,
  itemsShown: (shown: number, total: number): string => `${shown} of ${total} outcomes of products`,
  runFacts: (
    trigger: string,
    startedAt: string | null,
    finishedAt: string | null,
    requests: Readonly<Record<'catalog' | 'store', number>>,
  ): string =>
    `requested by ${trigger}, from ${startedAt ?? 'not started'} to ${finishedAt ?? 'now'}; ` +
    `requests: ${requests.catalog} to the catalog, ${requests.store} to the store`,
  stepRuns: 'not finished',
  runStops: (id: string): string => `run ${id} stops at its next safe point`,
  deadLetters: (deliveries: number, writeBacks: number, tasks: number): string =>
    `${deliveries} deliveries, ${writeBacks} write-backs, ${tasks} generation tasks`,
  goneKept: (reason: string): string => `${reason}; the catalog keeps it`,
  noChanges: 'no changes are recorded',
  nothingWritten: 'nothing was written',
  nothingChanged: 'nothing was changed on either side',
  planSaved: (id: string): string => `saved as ${id}; apply it with: store-sync apply ${id}`,
  mediaLost: (media: string): string => `a generated description removes ${media}: see writeBack.keep`,
  nothingGone: (reason: string): string => `no product would be marked as gone: ${reason}`,
  notLinked: 'not linked',
  noCatalogProduct: 'no catalog product yet',
  noReason: 'no reason given',
  notKnown: 'not known',
  notStarted: 'not started',
  unknownTime: 'an unknown time',
  runFailed: 'the run failed',
  beyondLimit: (store: string, full: boolean): string =>
    `if the store is right, run store-sync sync --store ${store}${full ? ' --full' : ''} --force`,
  runGone: (id: string): string => `run ${id} no longer exists`,
  runInterrupted: (id: string): string => `interrupted: the next start or sync resumes run ${id}`,

  // The daemon
  noToken: 'server.adminToken and server.tokens are not set: the API and the dashboard are off',
  isUp: 'store-sync is up',
  stopTooLong: 'the shutdown timed out: the next start resumes the remaining work',

  // Progress
  exporting: 'the store prepares the export',
  planning: 'reading and planning',
  applying: 'sending changes to the catalog',
  creating: 'waiting for background creations',
  requesting: 'requesting content',
  writingContent: 'writing generated content to the store',
  restOf: (seconds: number): string =>
    seconds < 60 ? ', less than a minute left' : `, about ${String(Math.ceil(seconds / 60))} min left`,

  noPort: 'PORT must be a number from 1 to 65535',
  deliveryFacts: (workspace: string, task: string, attempts: number, bytes: number): string =>
    `workspace ${workspace}, task ${task}, ${attempts} attempts, ${bytes} bytes`,
  passedOver: (count: number): string => `; ${count} skipped, because they are being written`,
  catalogNotCompared: (problem: string): string =>
    `products that are gone from the catalog were not looked for: ${problem}`,
  drifted: (drifted: number, checked: number, store: string): string =>
    `${drifted} of ${checked} products of ${store} have drifted`,
  generationFor: (count: number, store: string): string =>
    `generation requested for ${count} products of ${store}`,
  listLimit: (most: number): string => `list: maximum number of rows (default 50, at most ${most})`,
  costs: (generations: number, credits: string, remaining: string): string =>
    `content would be requested for ${generations} ${generations === 1 ? 'product' : 'products'}${credits}${remaining}`,
  costCredits: (credits: string, each: string): string => `, about ${credits} credits (${each} each)`,
  costUnknown: ', at a cost that no result has named yet',
  creditsRemain: (credits: string): string => `; ${credits} credits remain`,
  costLimited: (waiting: number, setting: string): string => `; ${setting} leaves ${waiting} to later runs`,
  spendQuestion: (cost: string, limit: number): string =>
    `A sync now: ${cost}. That is more than generation.confirmAbove (${limit}). Sync?`,
  syncYes: 'does not ask before it spends more than generation.confirmAbove',
  notSynced: 'the sync was not confirmed; nothing was read or written',
  planTotals: (
    kind: string,
    store: string,
    counts: Readonly<Record<'seen' | 'creates' | 'updates' | 'orphans' | 'unchanged' | 'conflicted', number>>,
    note: string,
  ): string =>
    `${kind} plan of ${store}: ${counts.seen} seen, ${counts.creates} to create, ${counts.updates} to update, ` +
    `${counts.orphans} gone, ${counts.unchanged} unchanged, ${counts.conflicted} conflicted; ${note}`,
  runFigures: (counts: Readonly<Record<'seen' | 'created' | 'updated' | 'failed', number>>): string =>
    `${counts.seen} seen, ${counts.created} created, ${counts.updated} updated, ${counts.failed} failed`,
  goneCount: (count: number): string => `gone from the store, kept in the catalog: ${count}`,
  goneProduct: (catalogId: string, since: string): string =>
    `catalog product ${catalogId}, gone since ${since}`,
  moreGone: (count: number): string => `and ${count} more; --json lists all of them`,
  activeRun: (store: string, id: string): string => `store ${store} already has an active run: ${id}`,
  unknownAction: (command: string, name: string, known: string): string =>
    `${command} has no action "${name}"; choose one of: ${known}`,
  idNeeded: (command: string, action: string): string => `${command} ${action} needs at least one id`,
  extraArguments: (command: string, words: string): string => `${command} does not take "${words}"`,
  refused: (reason: string): string => `the catalog refused the product: ${reason}`,
  /** `products show` takes the external_ids of our products. */
  withheldFrom: (kind: string, value: string, holder: PresentedWithheld['holder']): string =>
    holder === null
      ? `${kind} ${value} is held by a product that is not recorded yet`
      : [
          `${kind} ${value} is held by ${holder.who}`,
          ...holder.externalIds,
          ...(holder.catalogId === null ? [] : [`catalog product ${holder.catalogId}`]),
        ].join('; '),
  unknownStore: (store: string, nearest: string | null, known: string): string =>
    `no store "${store}" is configured${nearest === null ? '' : `; did you mean ${nearest}?`} (configured: ${known === '' ? 'none' : known})`,
  otherDatabase: (dir: string, besideFile: string): string =>
    `there is no database in ${dir}, but one in ${besideFile}: change the working directory, or set database.dataDir to an absolute path`,
  newDatabase: (dir: string): string => `made a new, empty database in ${dir} (database.dataDir)`,
  unreadableFile: (file: string, reason: string): string => `${file} cannot be read: ${reason}`,
  shells: 'bash | zsh | fish; default: the shell that SHELL names',
  productsUsage: 'products show ID',
  owed: (count: number, since: string): string => `owed to the next run: ${count}, the oldest since ${since}`,
  capped: (count: number, limit: string): string => `${count} writes wait: limits.${limit} is reached`,
  gated: (byGate: string): string => `held back by gates: ${byGate}`,
  unplacedValues: (count: number): string =>
    `${count} generated values of the last 30 days have no place: see writeBack.fields, writeBack.sections`,
} as const;
