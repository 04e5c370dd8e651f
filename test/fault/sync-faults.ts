import { proof, type FaultRow } from './fault-row.js';

/** Faults between a run and the catalog. */
export const CATALOG_SYNC_FAULTS: readonly FaultRow[] = [
  {
    id: 'C7',
    fault: 'another system’s product has one of our identifiers, where a search does not show it',
    behaviour: 'it is never changed; the identifier is withheld and named',
    proofs: proof(
      'test/integration/sync/identity-readings.integration.spec.ts',
      'a foreign variant with our SKU',
      'a foreign product with a SKU of our variants',
    ),
  },
  {
    id: 'C8',
    fault: 'a variant leaves the store, or a product changes between variants and none',
    behaviour: 'the catalog product gives the SKU up before another one gets it',
    proofs: proof(
      'test/integration/sync/identity-readings.integration.spec.ts',
      'a variant that left the store',
      'turns into one without',
    ),
  },
  {
    id: 'C9',
    fault: 'a product is deleted and made again with the same SKU',
    behaviour: 'the new product has the identifiers within two full runs',
    proofs: proof(
      'test/integration/sync/identity-readings.integration.spec.ts',
      'was deleted and made again',
      'an orphan of an earlier release',
    ),
  },
  {
    id: 'C10',
    fault: 'the catalog refuses a product',
    behaviour: 'each run tries it again, and counts it as failed until the catalog takes it',
    proofs: proof('test/integration/sync/owed.integration.spec.ts', 'is tried again by every following run'),
  },
  {
    id: 'C11',
    fault: 'a creation in the background outlives its run, fails, or shows no product',
    behaviour: 'it is owed, and created again when the catalog lacks it',
    proofs: proof(
      'test/integration/sync/owed.integration.spec.ts',
      'turns its run to succeeded',
      'reopens the count of its run',
      'does not have it',
      'is not followed without end',
    ),
  },
  {
    id: 'C12',
    fault: 'a generation request is not answered',
    behaviour: 'the next batch goes on; the request is repeated only after the time limit of a task',
    proofs: proof(
      'test/integration/sync/generation.integration.spec.ts',
      'does not end the asking',
      'of unknown outcome',
    ),
  },
  {
    id: 'C13',
    fault: 'a product is deleted in the catalog',
    behaviour: 'the next full run creates it again and says so; `drift` reports it',
    proofs: [
      ...proof(
        'test/integration/sync/gone-from-catalog.integration.spec.ts',
        'is created again by the next full run',
        'is linked to the product that somebody created',
      ),
      ...proof('test/e2e/cli/drift.e2e.spec.ts', 'reports a product that was deleted in the catalog'),
    ],
  },
  {
    id: 'C14',
    fault: 'the catalog’s listing is incomplete, limited or cannot be read',
    behaviour: 'no product is created again because of it, and the run says so',
    proofs: proof(
      'test/integration/sync/gone-from-catalog.integration.spec.ts',
      'while the catalog still has it under its id',
      'where the listing was shorter than its count',
      'where the listing leaves out many that exist',
      'by a run that could not read the listing',
      'where a deletion shifts it between two pages',
      'while the catalog creates it in the background',
    ),
  },
  {
    id: 'C15',
    fault: 'an identifier is withheld, because another product has it',
    behaviour: 'commands, API and pages name the other product and the remedy',
    proofs: [
      ...proof('src/operations/withheld.spec.ts', ''),
      ...proof('src/planner/identity.spec.ts', 'the holder of a withheld identifier'),
      ...proof('test/integration/sync/identity.integration.spec.ts', 'names its holder in the row'),
    ],
  },
  {
    id: 'C16',
    fault: 'the catalog still holds an outdated identifier of a product',
    behaviour: 'it is forgotten only once it was cleared there',
    proofs: proof(
      'test/integration/sync/apply.integration.spec.ts',
      'is cleared before it is forgotten',
      'is not forgotten by a creation in the background',
    ),
  },
  {
    id: 'C17',
    fault: 'content is generated elsewhere, and no delivery comes',
    behaviour: 'a sweep of the newest generated products finds it once',
    proofs: [
      ...proof(
        'test/integration/schedule/results-by-sight.integration.spec.ts',
        'reaches the store by the sweep, once',
        'is looked for once a poll interval',
      ),
      ...proof(
        'test/integration/schedule/results-by-sight.integration.spec.ts',
        'is left to the poll while a task',
      ),
    ],
  },
  {
    id: 'C18',
    fault: 'the catalog answers hundreds of polls slowly or never',
    behaviour: 'runs, deliveries and events go on: polls take half of the requests at most',
    proofs: proof(
      'test/integration/schedule/slow-polls.integration.spec.ts',
      '500 polls that a slow service does not answer',
    ),
  },
  {
    id: 'C19',
    fault: 'the catalog refuses a text in a further language',
    behaviour: 'the product is owed with the reason, and the next run sends it',
    proofs: proof('test/integration/sync/source-translations.integration.spec.ts', 'is owed when it fails'),
  },
  {
    id: 'C20',
    fault: 'the catalog merges objects, and an attribute is dropped',
    behaviour: 'the attribute is cleared in every language; those of other systems stay',
    proofs: proof(
      'test/integration/sync/source-translations.integration.spec.ts',
      'where a change of an object means merge an attribute that the merchant removes',
      'where a change of an object means replace an attribute that the merchant removes',
      'where a change of an object means merge an adopted product keeps',
    ),
  },
  {
    id: 'C21',
    fault: 'another system takes over a linked product, or one of its variants',
    behaviour:
      'that product is never written again, nothing of it reaches the store, and ours is created anew',
    proofs: [
      ...proof(
        'test/integration/sync/taken-over.integration.spec.ts',
        'are never written again, and ours are created anew',
        'a variant that another system took over is never written',
      ),
      ...proof('test/integration/webhooks/taken-over.integration.spec.ts', 'is never written by a delivery'),
    ],
  },
  {
    id: 'C22',
    fault: 'a product leaves the store while the catalog creates it in the background',
    behaviour: 'it is owed until it exists, and is then treated as one that left',
    proofs: proof(
      'test/integration/sync/background-creations.integration.spec.ts',
      'is gone from both sides once it was created',
      'leaves nothing behind',
      'and comes back is an ordinary product',
    ),
  },
];

/** Faults between a run and the store. */
export const STORE_SYNC_FAULTS: readonly FaultRow[] = [
  {
    id: 'S8',
    fault: 'a write-back holds a product while a run reads it',
    behaviour: 'it is owed to the next run',
    proofs: proof('test/integration/sync/owed.integration.spec.ts', 'is owed, and read by the next run'),
  },
  {
    id: 'S9',
    fault: 'a run fails that consumed store events',
    behaviour: 'their products are owed to the next run',
    proofs: proof('test/integration/sync/owed.integration.spec.ts', 'that a failed run consumed'),
  },
  {
    id: 'S10',
    fault: 'a worker is paused until another one has its product',
    behaviour: 'it sends and records nothing more; the other worker does',
    proofs: [
      ...proof(
        'test/integration/write-back/fencing.integration.spec.ts',
        'right before the write does not send it',
        'between two writes does not send',
      ),
      ...proof(
        'test/integration/write-back/fencing.integration.spec.ts',
        'after the write journals nothing',
        'a revert that lost the product sends nothing',
      ),
    ],
  },
  {
    id: 'S11',
    fault: 'a write-back is given up half way',
    behaviour: 'recorded with its failed fields and before-images, and can be reverted',
    proofs: [
      ...proof(
        'test/integration/write-back/given-up.integration.spec.ts',
        'is journalled as applied, with the failed fields',
        'the store cannot be read any more',
      ),
      ...proof(
        'test/integration/write-back/given-up.integration.spec.ts',
        'finds what landed although its answer was lost',
      ),
    ],
  },
  {
    id: 'S12',
    fault: 'a result comes while its product is away from the store',
    behaviour: 'skipped with that reason, and decided again once the product is back',
    proofs: proof(
      'test/integration/write-back/writing.integration.spec.ts',
      'gets the newest result when it comes back',
    ),
  },
  {
    id: 'S13',
    fault: 'the lines of an export have any order, or a child is there twice',
    behaviour: 'the file is split by product first, and each product is read whole',
    proofs: [
      ...proof('src/store/shopify/export-file.spec.ts', 'the lines of an export'),
      ...proof('test/e2e/exports.e2e.spec.ts', 'every product is created as it is'),
    ],
  },
  {
    id: 'S14',
    fault: 'a shop is frozen, locked or gone, or another shop answers at its address',
    behaviour: 'the store is paused with that reason; of another shop nothing is read',
    proofs: proof(
      'test/e2e/unusable-shops.e2e.spec.ts',
      'pauses its store with that reason, and works again by a retry',
      'is refused before anything is read',
    ),
  },
];

/** Faults of schedules. */
export const SCHEDULE_FAULTS: readonly FaultRow[] = [
  {
    id: 'O7',
    fault: 'a slot of the schedule comes due while another run is active',
    behaviour: 'its run follows that one, once for all replicas',
    proofs: proof('test/integration/schedule/scheduler.integration.spec.ts', 'has its run after that one'),
  },
  {
    id: 'O8',
    fault: 'a store gets another key in the configuration, or its key names another shop',
    behaviour:
      'the rows follow the shop to the new key, and nothing is sent again; a key of another shop is refused',
    proofs: [
      ...proof(
        'test/integration/persistence/store-keys.integration.spec.ts',
        'sends nothing again',
        'takes results of requests that it made before',
        'while another process works on a run under the old key',
        'gets no run from a process that still has the old key',
        'a key that names another shop',
      ),
      ...proof('src/planner/store-keys.spec.ts', ''),
      ...proof('test/e2e/reload.e2e.spec.ts', 'restarts under a renamed store key'),
    ],
  },
  {
    id: 'O9',
    fault: 'a slot of the schedule comes due while the database is down',
    behaviour: 'its run is made once the database answers, and only once',
    proofs: proof(
      'test/integration/schedule/scheduler.integration.spec.ts',
      'that fails while the database is down is repeated once it answers',
    ),
  },
  {
    id: 'O10',
    fault:
      'replicas whose clocks differ by minutes; one dies, one is cut off from the database, the database crashes, Redis loses its data',
    behaviour:
      'the others do its work; no replica writes to a store without the lease of the product; nothing is lost or doubled',
    proofs: proof('test/soak/soak.e2e.spec.ts', 'are neither lost nor doubled when replicas die'),
  },
];
