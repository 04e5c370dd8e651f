const KILL_POINTS = 'test/fault/kill-points.e2e.spec.ts';
const SOAK = 'test/soak/soak.e2e.spec.ts';
const ORDER = 'test/integration/webhooks/order.integration.spec.ts';
const RECEIPT = 'test/e2e/receipt.e2e.spec.ts';
const REPOSITORIES_INBOX = 'test/integration/persistence/repositories-inbox.integration.spec.ts';
const RECEIPT_UNDER_LOAD = 'test/fault/receipt-under-load.e2e.spec.ts';
const INTERPRETATION = 'test/integration/webhooks/interpretation.integration.spec.ts';
const WEBHOOK_SIGNATURE = 'src/catalog/webhook-signature.spec.ts';
const REPLICAS = 'test/fault/replicas.e2e.spec.ts';
const FAULTS = 'test/e2e/faults.e2e.spec.ts';
const APPLY = 'test/integration/sync/apply.integration.spec.ts';
const CLIENT_AUTH = 'src/catalog/client-auth.spec.ts';
const CLIENT_PRODUCTS = 'src/catalog/client-products.spec.ts';
const IDENTITY_READINGS = 'test/integration/sync/identity-readings.integration.spec.ts';
const OWED = 'test/integration/sync/owed.integration.spec.ts';
const GONE_FROM_CATALOG = 'test/integration/sync/gone-from-catalog.integration.spec.ts';
const SOURCE_TRANSLATIONS = 'test/integration/sync/source-translations.integration.spec.ts';
const CONNECTOR_EXPORT = 'src/store/shopify/connector-export.spec.ts';
const RESUME = 'test/integration/sync/resume.integration.spec.ts';
const WRITING = 'test/integration/write-back/writing.integration.spec.ts';
const WRITE_BACK_RESUME = 'test/integration/write-back/resume.integration.spec.ts';
const SCHEDULER = 'test/integration/schedule/scheduler.integration.spec.ts';
const POSTGRES_QUEUE = 'test/e2e/queue/postgres-queue.e2e.spec.ts';
const SOAKED = 'are neither lost nor doubled when replicas die';

/**
 * The tests that prove each fault of docs/security.md#faults. By file, parts of names: all tests whose full name (describe and it)
 * contains the text.
 */
export const FAULT_PROOFS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  W1: { [KILL_POINTS]: ['at receive.read is'], [SOAK]: [SOAKED] },
  W2: { [KILL_POINTS]: ['at receive.committed is'], [SOAK]: [SOAKED] },
  W3: {
    [KILL_POINTS]: ['at receive.acked is', 'at interpret.claimed is'],
    [ORDER]: ['an interpreter that dies at'],
    [SOAK]: [SOAKED],
  },
  W4: {
    'test/fault/redis.e2e.spec.ts': [
      'a delivery gets 200 while Redis is down',
      'when they are emptied in the middle',
    ],
  },
  W5: {
    [RECEIPT]: ['refuses connections gets 503', 'hangs gets 503'],
    [REPOSITORIES_INBOX]: ['a database that is away'],
  },
  W6: {
    [RECEIPT]: ['gets 200 and one row, however often it comes'],
    [REPOSITORIES_INBOX]: ['keeps one row of fifty identical deliveries'],
  },
  W7: {
    [ORDER]: ['results in whatever order'],
    [INTERPRETATION]: ['that failed does not undo one that succeeded'],
  },
  W8: {
    [INTERPRETATION]: [
      'finds its row although it overtook the answer',
      'is taken once the product is linked',
    ],
  },
  W9: { [RECEIPT]: ['of 101 KB gets 200', 'of 9.9 MB gets 200', 'over 10 MB gets 413'] },
  W10: { [RECEIPT]: ['holds broken JSON gets 200', 'content-encoding: gzip over plain bytes gets 200'] },
  W11: { [RECEIPT]: ['with content-type: text/plain gets 200', 'charset=latin1 gets 200'] },
  W12: { [RECEIPT]: ['holds invalid UTF-8 gets 200'], [WEBHOOK_SIGNATURE]: ['verifies bodies of any bytes'] },
  W13: {
    [RECEIPT]: [
      'that is a retry of eleven minutes later',
      'signed 21 minutes ago is refused',
      'signed ten minutes in the future is refused',
    ],
  },
  W14: {
    [RECEIPT_UNDER_LOAD]: ['signed with either secret are taken'],
    [WEBHOOK_SIGNATURE]: ['accepts both secrets while a rotation lasts'],
  },
  W15: { [RECEIPT_UNDER_LOAD]: ['that come all at once get no 4xx'] },
  W16: { [REPLICAS]: ['one after the other is restarted under load'] },
  W17: {
    'test/integration/schedule/task-poller.integration.spec.ts': ['settles a task that no delivery closed'],
    [KILL_POINTS]: ['while no deliveries come, at poll.asked', 'while no deliveries come, at poll.stored'],
  },
  W18: {
    'test/integration/webhooks/one-result-two-ways.integration.spec.ts': [
      'a result that a poll and a delivery bring at once is one result',
    ],
  },
  C1: { 'src/catalog/client-throttling.spec.ts': ['429 and 503'] },
  C2: {
    [APPLY]: ['a creation of unknown outcome is looked for'],
    [KILL_POINTS]: ['at apply.started is', 'at apply.sent is'],
    [FAULTS]: ['a catalog that fails in every way there is'],
  },
  C3: { 'src/catalog/client-errors.spec.ts': ['answers that cannot be used'] },
  C4: {
    [CLIENT_AUTH]: ['whose token is revoked unannounced cause one renewal'],
    [APPLY]: ['refused credentials'],
  },
  C5: { [CLIENT_AUTH]: ['[AUTH-08]', 'a refused login says why'] },
  C6: {
    [CLIENT_PRODUCTS]: [
      'ends at a next that was followed before',
      'a walk that is cut short by a vanished page fails',
    ],
  },
  C7: {
    [IDENTITY_READINGS]: ['no foreign product is ever changed by a SKU'],
  },
  C8: { [IDENTITY_READINGS]: ['SKUs go on from a variant that left'] },
  C9: {
    [IDENTITY_READINGS]: ['to one that was made again'],
    'test/integration/sync/identity.integration.spec.ts': ['names its holder in the row'],
  },
  C10: { [OWED]: ['is tried again by every following run'] },
  C11: {
    [OWED]: [
      'turns its run to succeeded',
      'reopens the count of its run',
      'does not have it',
      'is not followed without end',
    ],
  },
  C12: {
    'test/integration/sync/generation.integration.spec.ts': ['does not end the asking', 'of unknown outcome'],
  },
  C13: {
    [GONE_FROM_CATALOG]: [
      'is created again by the next full run',
      'is linked to the product that somebody created',
    ],
    'test/e2e/cli/drift.e2e.spec.ts': ['reports a product that was deleted in the catalog'],
  },
  C14: {
    [GONE_FROM_CATALOG]: [
      'while the catalog still has it under its id',
      'where the listing was shorter than its count',
      'where the listing leaves out many that exist',
      'by a run that could not read the listing',
      'where a deletion shifts it between two pages',
      'while the catalog creates it in the background',
    ],
  },
  C15: {
    'src/operations/withheld.spec.ts': [''],
    'src/planner/identity.spec.ts': ['the holder of a withheld identifier'],
    'test/integration/sync/identity.integration.spec.ts': ['names its holder in the row'],
  },
  C16: { [APPLY]: ['is cleared before it is forgotten', 'is not forgotten by a creation in the background'] },
  C17: {
    'test/integration/schedule/results-by-sight.integration.spec.ts': [
      'reaches the store by the sweep, once',
      'is looked for once a poll interval',
      'is left to the poll while a task',
    ],
  },
  C18: {
    'test/integration/schedule/slow-polls.integration.spec.ts': [
      '500 polls that a slow service does not answer',
    ],
  },
  C19: { [SOURCE_TRANSLATIONS]: ['is owed when it fails'] },
  C20: {
    [SOURCE_TRANSLATIONS]: [
      'where a change of an object means merge an attribute that the merchant removes',
      'where a change of an object means replace an attribute that the merchant removes',
      'where a change of an object means merge an adopted product keeps',
    ],
  },
  C21: {
    'test/integration/sync/taken-over.integration.spec.ts': [
      'are never written again, and ours are created anew',
      'a variant that another system took over is never written',
    ],
    'test/integration/webhooks/taken-over.integration.spec.ts': ['is never written by a delivery'],
  },
  C22: {
    'test/integration/sync/background-creations.integration.spec.ts': [
      'is gone from both sides once it was created',
      'leaves nothing behind',
      'and comes back is an ordinary product',
    ],
  },
  S1: {
    'src/store/shopify/connector-calls.spec.ts': ['calls that the store asks to slow down'],
    [FAULTS]: ['a store that throttles and fails'],
  },
  S2: {
    [CONNECTOR_EXPORT]: [
      'polling an export recognises',
      'asks once for a new address when the old one has expired',
    ],
    [RESUME]: ['an export that failed is forgotten'],
    [KILL_POINTS]: ['at plan.export-started is', 'at plan.handle-stored is'],
  },
  S3: {
    [CONNECTOR_EXPORT]: ['an export that is not what the store said'],
    [RESUME]: ['that breaks off in the middle leaves nothing of its plan'],
  },
  S4: { [WRITING]: ['a product that is gone'] },
  S5: {
    [WRITING]: ['made since the content was asked for is kept'],
    'test/integration/write-back/fencing.integration.spec.ts': ['is read again, and the edit stays'],
    [SOAK]: [SOAKED],
  },
  S6: {
    'test/contract/store/loop.contract.spec.ts': ['does not treat its own writes as changes'],
    'test/e2e/store-events.e2e.spec.ts': ['a hundred times over start nothing'],
    [WRITING]: ['does not come back as the merchant’s own'],
  },
  S7: {
    [KILL_POINTS]: ['at write-back.written is', 'at write-back.started is'],
    [WRITE_BACK_RESUME]: [
      'a writer that dies at',
      'after the write leaves what is known as ours to the newer result',
    ],
  },
  S8: { [OWED]: ['is owed, and read by the next run'] },
  S9: { [OWED]: ['that came before a failed run began'] },
  S10: {
    'test/integration/write-back/fencing.integration.spec.ts': [
      'right before the write does not send it',
      'between two writes does not send',
      'after the write journals nothing',
      'a revert that lost the product sends nothing',
    ],
  },
  S11: {
    'test/integration/write-back/given-up.integration.spec.ts': [
      'is journalled as applied, with the failed fields',
      'the store cannot be read any more',
      'finds what landed although its answer was lost',
    ],
  },
  S12: { [WRITING]: ['gets all that came for it and its variants'] },
  S13: { 'src/store/shopify/export-file.spec.ts': ['the lines of an export'] },
  S14: {
    'src/store/shopify/connector-calls.spec.ts': ['treats status', 'is refused when another shop answers'],
    'test/integration/sync/store-health.integration.spec.ts': [
      'a shop that cannot be used',
      'the retry of a paused store',
      'under whose address another shop answers',
    ],
  },
  D1: { [CLIENT_PRODUCTS]: ['keys that would reach a prototype are taken out'] },
  D2: { 'src/planner/html-content.spec.ts': [''] },
  O1: {
    [SCHEDULER]: ['of replicas with skewed clocks is one run of one slot'],
    'test/integration/sync/runs.integration.spec.ts': ['makes one run of a slot that fifty replicas ask for'],
    [SOAK]: [SOAKED],
  },
  O2: {
    'test/integration/sync/runs.integration.spec.ts': ['hands the run on'],
    'test/e2e/security/admin-port.e2e.spec.ts': ['a stop closes both within seconds'],
  },
  O3: { 'test/fault/disk-full.e2e.spec.ts': ['gets 503 and is not acknowledged'] },
  O4: {
    'test/integration/persistence/repositories.integration.spec.ts': [
      'are applied once by processes that start together',
    ],
  },
  O5: {
    'test/e2e/wrong-configuration.e2e.spec.ts': ['a database that cannot be reached: start'],
    [POSTGRES_QUEUE]: ['wait for a server that is not there yet'],
  },
  O6: {
    [POSTGRES_QUEUE]: ['do a job again whose worker was killed'],
    'test/fault/poison-run.integration.spec.ts': ['is given up after ten'],
    [ORDER]: ['again and again on one delivery sets it aside'],
    [WRITE_BACK_RESUME]: ['again and again on one write-back ends it'],
  },
  O7: { [SCHEDULER]: ['has its run after that one'] },
  O8: {
    'test/integration/persistence/store-keys.integration.spec.ts': [
      'sends nothing again',
      'takes results of requests that it made before',
      'while another process works on a run under the old key',
      'gets no run from a process that still has the old key',
      'a key that names another shop',
    ],
    'src/planner/store-keys.spec.ts': [''],
  },
  O9: { [SCHEDULER]: ['that fails is repeated each second until it succeeds'] },
  O10: { [SOAK]: [SOAKED] },
};
