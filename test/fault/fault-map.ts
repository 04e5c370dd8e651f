import { proof, type FaultRow } from './fault-row.js';
import { CATALOG_SYNC_FAULTS, SCHEDULE_FAULTS, STORE_SYNC_FAULTS } from './sync-faults.js';

export type { FaultRow, Proof } from './fault-row.js';

const KILLS = 'test/fault/kill-points.e2e.spec.ts';
const SOAK = 'test/soak/soak.e2e.spec.ts';
const REDIS = 'test/fault/redis.e2e.spec.ts';
const LOAD = 'test/fault/receipt-under-load.e2e.spec.ts';
const REPLICAS = 'test/fault/replicas.e2e.spec.ts';
const RECEIPT = 'test/e2e/receipt.e2e.spec.ts';
const SOAKED = 'are neither lost nor doubled when replicas die';

/** Receiving: W. The catalog service: C. The store: S. Data: D. Operation: O. */
export const FAULTS: readonly FaultRow[] = [
  {
    id: 'W1',
    fault: 'killed before the inbox holds the delivery',
    behaviour: 'no answer, so that the sender repeats it; one row',
    proofs: [...proof(KILLS, 'at receive.read is'), ...proof(SOAK, SOAKED)],
  },
  {
    id: 'W2',
    fault: 'killed between commit and answer',
    behaviour: 'the repetition gets 2xx and makes no second row',
    proofs: [...proof(KILLS, 'at receive.committed is'), ...proof(SOAK, SOAKED)],
  },
  {
    id: 'W3',
    fault: 'killed between answer and processing',
    behaviour: 'the next process finds the row and interprets it',
    proofs: [
      ...proof(KILLS, 'at receive.acked is', 'at interpret.claimed is'),
      ...proof('test/integration/webhooks/order.integration.spec.ts', 'an interpreter that dies at'),
      ...proof(SOAK, SOAKED),
    ],
  },
  {
    id: 'W4',
    fault: 'the queue is away when a delivery comes',
    behaviour: '200: the inbox holds it',
    proofs: proof(REDIS, 'a delivery gets 200 while Redis is down', 'when they are emptied in the middle'),
  },
  {
    id: 'W5',
    fault: 'the database is down or silent',
    behaviour: '503 within three and a half seconds',
    proofs: [
      ...proof(RECEIPT, 'refuses connections gets 503', 'hangs gets 503'),
      ...proof(
        'test/integration/persistence/repositories-inbox.integration.spec.ts',
        'a database that is away',
      ),
    ],
  },
  {
    id: 'W6',
    fault: 'the same delivery many times at once',
    behaviour: 'one row, one effect',
    proofs: [
      ...proof(LOAD, 'that come fifty times at once'),
      ...proof(
        'test/integration/persistence/repositories-inbox.integration.spec.ts',
        'keeps one row of fifty identical deliveries',
      ),
    ],
  },
  {
    id: 'W7',
    fault: 'failure after success, or the reverse',
    behaviour: 'a settled task stays, the newest content stands',
    proofs: [
      ...proof('test/integration/webhooks/order.integration.spec.ts', 'results in whatever order'),
      ...proof(
        'test/integration/webhooks/interpretation.integration.spec.ts',
        'that failed does not undo one that succeeded',
      ),
    ],
  },
  {
    id: 'W8',
    fault: 'a delivery overtakes the answer to its request',
    behaviour: 'it finds its task, or waits until its product is known',
    proofs: proof(
      'test/integration/webhooks/interpretation.integration.spec.ts',
      'finds its row although it overtook the answer',
      'is taken once the product is linked',
    ),
  },
  {
    id: 'W9',
    fault: 'a large body',
    behaviour: 'stored up to 10 MB; beyond, 413, and polling brings the result',
    proofs: proof(RECEIPT, 'of 101 KB gets 200', 'of 9.9 MB gets 200', 'over 10 MB gets 413'),
  },
  {
    id: 'W10',
    fault: 'truncated JSON, or claimed compression',
    behaviour: '200; stored and parked',
    proofs: proof(RECEIPT, 'holds broken JSON gets 200', 'content-encoding: gzip over plain bytes gets 200'),
  },
  {
    id: 'W11',
    fault: 'another content type or charset',
    behaviour: '200, stored byte for byte',
    proofs: proof(RECEIPT, 'with content-type: text/plain gets 200', 'charset=latin1 gets 200'),
  },
  {
    id: 'W12',
    fault: 'invalid UTF-8',
    behaviour: '200; stored and parked',
    proofs: [
      ...proof(RECEIPT, 'holds invalid UTF-8 gets 200'),
      ...proof('src/catalog/webhook-signature.spec.ts', 'verifies bodies of any bytes'),
    ],
  },
  {
    id: 'W13',
    fault: 'differing clocks, a retry with its first timestamp',
    behaviour: 'accepted for twenty minutes back and five ahead',
    proofs: proof(
      RECEIPT,
      'that is a retry of eleven minutes later',
      'signed 21 minutes ago is refused',
      'signed ten minutes in the future is refused',
    ),
  },
  {
    id: 'W14',
    fault: 'the secret is rotated',
    behaviour: 'both are accepted while the rotation lasts, then only the new one',
    proofs: [
      ...proof(LOAD, 'signed with either secret are taken'),
      ...proof('src/catalog/webhook-signature.spec.ts', 'accepts both secrets while a rotation lasts'),
    ],
  },
  {
    id: 'W15',
    fault: 'a flood of deliveries',
    behaviour: 'no 4xx; what cannot be stored gets 503',
    proofs: proof(LOAD, 'that come all at once get no 4xx'),
  },
  {
    id: 'W16',
    fault: 'a rolling restart',
    behaviour: 'a replica that cannot take deliveries is not ready; none gets a 4xx, none is lost',
    proofs: proof(REPLICAS, 'one after the other is restarted under load'),
  },
  {
    id: 'W17',
    fault: 'a delivery is lost for good',
    behaviour: 'polling brings the result',
    proofs: [
      ...proof('test/e2e/polling.e2e.spec.ts', 'everything still completes, by polling'),
      ...proof(KILLS, 'while no deliveries come, at poll.asked', 'while no deliveries come, at poll.stored'),
    ],
  },
  {
    id: 'W18',
    fault: 'a poll and a delivery bring one result at the same time',
    behaviour: 'one task, one write-back',
    proofs: proof(
      'test/integration/webhooks/one-result-two-ways.integration.spec.ts',
      'a result that a poll and a delivery bring at once is one result',
    ),
  },
  {
    id: 'C1',
    fault: 'the catalog answers 429, with or without Retry-After',
    behaviour: 'no request is sent for as long as it asks, an hour at most',
    proofs: [
      ...proof('test/e2e/faults.e2e.spec.ts', 'by 429 with'),
      ...proof('src/catalog/client-throttling.spec.ts', '429 and 503'),
    ],
  },
  {
    id: 'C2',
    fault: 'an error or a timeout in answer to a creation',
    behaviour: 'the product is looked for before it is created again',
    proofs: [
      ...proof(
        'test/integration/sync/apply.integration.spec.ts',
        'a creation of unknown outcome is looked for',
      ),
      ...proof(KILLS, 'at apply.started is', 'at apply.sent is'),
      ...proof('test/e2e/faults.e2e.spec.ts', 'a catalog that fails in every way there is'),
    ],
  },
  {
    id: 'C3',
    fault: 'an answer that is HTML, cut off, slow or enormous',
    behaviour: 'bounded in time and size, then repeated',
    proofs: proof('src/catalog/client-errors.spec.ts', 'answers that cannot be used'),
  },
  {
    id: 'C4',
    fault: 'the token is revoked in the middle',
    behaviour: 'one renewal for all, then the workspace is paused',
    proofs: [
      ...proof('src/catalog/client-auth.spec.ts', 'whose token is revoked unannounced cause one renewal'),
      ...proof('test/integration/sync/apply.integration.spec.ts', 'refused credentials'),
    ],
  },
  {
    id: 'C5',
    fault: 'the refresh token has expired',
    behaviour: 'a new login, once',
    proofs: proof('src/catalog/client-auth.spec.ts', '[AUTH-08]', 'a refused login says why'),
  },
  {
    id: 'C6',
    fault: 'pages change while they are read',
    behaviour: 'the reading ends, and says when it is incomplete',
    proofs: proof(
      'src/catalog/client-products.spec.ts',
      'ends at a next that was followed before',
      'a walk that is cut short by a vanished page fails',
    ),
  },
  ...CATALOG_SYNC_FAULTS,
  {
    id: 'S1',
    fault: 'the store throttles',
    behaviour: 'the read waits as the cost figures say',
    proofs: [
      ...proof('src/store/shopify/connector-calls.spec.ts', 'calls that the store asks to slow down'),
      ...proof('test/e2e/faults.e2e.spec.ts', 'a store that throttles and fails'),
    ],
  },
  {
    id: 'S2',
    fault: 'an export fails, is cancelled, or its address expires',
    behaviour: 'the run fails, or exports anew; nothing is taken for gone',
    proofs: [
      ...proof('test/e2e/exports.e2e.spec.ts', 'an export that is not whole because it ends as'),
      ...proof(
        'src/store/shopify/connector-export.spec.ts',
        'asks once for a new address when the old one has expired',
      ),
      ...proof('test/integration/sync/resume.integration.spec.ts', 'an export that failed is forgotten'),
      ...proof(KILLS, 'at plan.export-started is', 'at plan.handle-stored is'),
    ],
  },
  {
    id: 'S3',
    fault: 'an export that is cut off',
    behaviour: 'the counts differ, so the run fails and infers nothing',
    proofs: [
      ...proof('src/store/shopify/connector-export.spec.ts', 'an export that is not what the store said'),
      ...proof(
        'test/integration/sync/resume.integration.spec.ts',
        'that breaks off in the middle leaves nothing of its plan',
      ),
    ],
  },
  {
    id: 'S4',
    fault: 'a product is deleted before it is written',
    behaviour: 'skipped with that reason',
    proofs: proof('test/integration/write-back/writing.integration.spec.ts', 'a product that is gone'),
  },
  {
    id: 'S5',
    fault: 'the merchant edited after the product was read',
    behaviour: 'the edit stands, as a conflict',
    proofs: [
      ...proof('test/e2e/merchant-edits.e2e.spec.ts', 'is not overwritten when it happens between'),
      ...proof(
        'test/integration/write-back/writing.integration.spec.ts',
        'made since the content was asked for is kept',
      ),
      ...proof(SOAK, SOAKED),
    ],
  },
  {
    id: 'S6',
    fault: 'a written text comes back as a change of the product',
    behaviour: 'it is recognised: neither pushed nor used for generation',
    proofs: [
      ...proof('test/e2e/merchant-edits.e2e.spec.ts', 'what was written does not come back as news'),
      ...proof('test/e2e/store-events.e2e.spec.ts', 'a hundred times over start nothing'),
      ...proof(
        'test/integration/write-back/writing.integration.spec.ts',
        'does not come back as the merchant’s own',
      ),
    ],
  },
  {
    id: 'S7',
    fault: 'killed between a write to the store and its record',
    behaviour: 'the next worker recognises it, and writes nothing',
    proofs: [
      ...proof(KILLS, 'at write-back.written is', 'at write-back.started is'),
      ...proof(
        'test/integration/write-back/resume.integration.spec.ts',
        'a writer that dies at',
        'after the write leaves what is known as ours to the newer result',
      ),
    ],
  },
  ...STORE_SYNC_FAULTS,
  {
    id: 'D1',
    fault: '`__proto__` among free-form keys',
    behaviour: 'dropped, at every depth',
    proofs: proof('src/catalog/client-products.spec.ts', 'keys that would reach a prototype are taken out'),
  },
  {
    id: 'D2',
    fault: 'HTML and script in generated content',
    behaviour: 'sanitised to an allow-list, text elsewhere',
    proofs: proof('src/planner/html-content.spec.ts', ''),
  },
  {
    id: 'O1',
    fault: 'several replicas fire the same tick',
    behaviour: 'one run',
    proofs: [
      ...proof(REPLICAS, 'make one run of each tick'),
      ...proof(
        'test/integration/schedule/scheduler.integration.spec.ts',
        'of replicas with skewed clocks is one run of one slot',
      ),
      ...proof(
        'test/integration/sync/runs.integration.spec.ts',
        'makes one run of a slot that fifty replicas ask for',
      ),
    ],
  },
  {
    id: 'O2',
    fault: 'SIGTERM in the middle of a run',
    behaviour: 'the process ends within 25 s, and another one continues the run',
    proofs: proof('test/e2e/interruptions.e2e.spec.ts', 'exits with 0 within 25 s'),
  },
  {
    id: 'O3',
    fault: 'the disk is full',
    behaviour: '503, and it recovers; nothing is acknowledged that is not stored',
    proofs: proof('test/fault/disk-full.e2e.spec.ts', 'gets 503 and is not acknowledged'),
  },
  {
    id: 'O4',
    fault: 'replicas that start together on a new schema',
    behaviour: 'one migrates, the others wait for it',
    proofs: proof(
      'test/integration/persistence/repositories.integration.spec.ts',
      'are applied once by processes that start together',
    ),
  },
  {
    id: 'O5',
    fault: 'started while the database is down',
    behaviour: 'the process waits for it, or ends with an exit status',
    proofs: [
      ...proof('test/e2e/wrong-configuration.e2e.spec.ts', 'a database that cannot be reached: start'),
      ...proof('test/e2e/queue/postgres-queue.e2e.spec.ts', 'wait for a server that is not there yet'),
    ],
  },
  {
    id: 'O6',
    fault: 'killed again and again in the same job',
    behaviour: 'the queue repeats it; a row that kills its workers is set aside',
    proofs: [
      ...proof('test/e2e/queue/postgres-queue.e2e.spec.ts', 'do a job again whose worker was killed'),
      ...proof('test/fault/poison-run.integration.spec.ts', 'is given up after ten'),
      ...proof(
        'test/integration/webhooks/order.integration.spec.ts',
        'again and again on one delivery sets it aside',
      ),
      ...proof(
        'test/integration/write-back/resume.integration.spec.ts',
        'again and again on one write-back ends it',
      ),
    ],
  },
  ...SCHEDULE_FAULTS,
];
