import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { CodedError } from '../../domain/errors.js';
import { counted } from '../../domain/text.js';
import type { PresentedRun } from '../../operations/present-run.js';
import { ActionRepository } from '../../persistence/action.repository.js';
import { DeliveryRepository } from '../../persistence/delivery.repository.js';
import type { WriteBackEntity } from '../../persistence/entities/index.js';
import { LinkRepository } from '../../persistence/link.repository.js';
import { TaskRepository } from '../../persistence/task.repository.js';
import { WriteBackRepository } from '../../persistence/write-back.repository.js';
import { RunRequests } from '../../connections/run-requests.js';
import { RunWorker } from '../../sync/run-worker.js';
import { RunOperations } from '../../operations/runs.js';
import { ADMIN } from '../../api/access.js';
import { SignInLinks } from '../../dashboard/sign-in-links.js';
import { interruptSignal } from '../command.js';
import { print } from '../output.js';
import { ProgressReport } from '../progress.js';
import { RunFollower } from '../run-follower.js';
import { countsText } from '../run-summary.js';
import { printable } from '../terminal.js';
import { readDemoProducts } from './demo-products.js';
import {
  dashboardLines,
  outcomeOf,
  outcomeTable,
  remarksOf,
  summaryOf,
  type DemoOutcome,
  type ProductStory,
} from './demo-report.js';
import { DEMO_KINDS, type DemoProduct } from './demo-shop.js';
import { DEMO_STORE, openDemoWorld, type DemoWorld } from './demo-world.js';

export interface DemoOptions {
  readonly store?: string;
  readonly products?: string;
  readonly keep?: boolean;
}

const LOOK_EVERY_MS = 200;
/** The demo gives up when nothing has moved for this long. The whole time depends on the export. */
const STUCK_AFTER_MS = 300_000;
/** Products whose rows are read at the same time. */
const READ_AT_ONCE = 8;
/** Of problems and names in a list, no more are printed. */
const MOST_PRINTED = 10;

/**
 * Runs the whole loop. The exit status is 0 only if every product of the file completed and the second run found nothing to do.
 * SIGINT and SIGTERM end it early, with everything stopped that it started.
 */
export async function runDemo(options: DemoOptions): Promise<number> {
  const signal = interruptSignal();
  const kind = DEMO_KINDS.find((each) => each === (options.store ?? 'shopify'));
  if (kind === undefined)
    throw new CodedError('misconfigured', `--store must be one of ${DEMO_KINDS.join(', ')}`);
  const { products, problems } = await readDemoProducts(options.products);
  for (const problem of problems.slice(0, MOST_PRINTED)) print(`left out: ${problem.message}`);
  if (problems.length > MOST_PRINTED)
    print(`left out: ${String(problems.length - MOST_PRINTED)} more rows or products of the file`);
  say('starting PostgreSQL, the sandbox catalog, the sandbox store and the daemon');
  const world = await openDemoWorld(kind, products, signal);
  try {
    const outcomes = await loop(world, signal);
    print(outcomeTable(outcomes, process.stdout.columns));
    print(`${summaryOf(outcomes)}.`);
    const repeated = await secondRun(world, signal);
    const waiting = outcomes.filter(({ fate }) => fate === 'waiting').map(({ before }) => before.handle);
    if (waiting.length > 0) print(`A gate holds these texts back for review: ${namesOf(waiting)}`);
    print('The sandbox made the content by rules from each product’s own data, not by AI.');
    if (options.keep) await keepUp(world, signal);
    const isComplete = outcomes.every(({ fate }) => fate !== 'incomplete');
    return isComplete && problems.length === 0 && repeated ? 0 : 1;
  } catch (error) {
    if (signal.aborted)
      throw new CodedError('transient', 'the demo was interrupted; everything it started is stopped', {
        cause: error,
      });
    throw error;
  } finally {
    await world.end();
  }
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, MOST_PRINTED).map((name) => printable(name, 60));
  return shown.join(', ') + (names.length > MOST_PRINTED ? ', …' : '');
}

async function loop(world: DemoWorld, signal: AbortSignal): Promise<DemoOutcome[]> {
  const before = world.shop.products();
  say(`first sync: ${counted(before.length, 'product')} in the store`);
  const run = await runToEnd(world, signal);
  print(`first sync ${run.status}: ${countsText(run.counts)}`);
  printRemarks(run);
  await contentWritten(world, run.counts.generationRequested, signal);
  const after = new Map(world.shop.products().map((product) => [product.id, product]));
  return pLimit(READ_AT_ONCE).map(before, async (product: DemoProduct) =>
    outcomeOf(product, after.get(product.id), await storyOf(world, product.externalId)),
  );
}

/** Proves that written content does not return as a change: nothing is left to do on either side. */
async function secondRun(world: DemoWorld, signal: AbortSignal): Promise<boolean> {
  say('second sync, of the whole store');
  const writesBefore = world.shop.writes();
  world.catalog.resetRequests();
  const run = await runToEnd(world, signal);
  const storeWrites = world.shop.writes() - writesBefore;
  const catalogWrites = world.catalog.requests().filter((request) => request.method !== 'GET').length;
  print(
    `second sync ${run.status}: ${countsText(run.counts)}; ` +
      `${String(catalogWrites)} catalog writes, ${String(storeWrites)} store writes`,
  );
  printRemarks(run);
  const { seen, unchanged } = run.counts;
  return run.status === 'succeeded' && seen === unchanged && catalogWrites === 0 && storeWrites === 0;
}

async function runToEnd({ daemon }: DemoWorld, signal: AbortSignal): Promise<PresentedRun> {
  const { id } = await daemon.get(RunRequests).request({ store: DEMO_STORE, full: true, trigger: 'command' });
  return new RunFollower(daemon.get(RunWorker), daemon.get(RunOperations)).toEnd(id, signal);
}

function printRemarks(run: PresentedRun): void {
  for (const remark of remarksOf(run)) print(`  ${remark}`);
}

/** Waits until no task, delivery or write-back is open, and shows how many of the requested contents are done. */
async function contentWritten(world: DemoWorld, total: number, signal: AbortSignal): Promise<void> {
  const { daemon } = world;
  const progress = new ProgressReport(process.stderr);
  let done = 0;
  try {
    await until('content', signal, async () => {
      const [tasks, writeBacks, deliveries] = await Promise.all([
        daemon.get(TaskRepository).countByState(DEMO_STORE),
        daemon.get(WriteBackRepository).countByState(DEMO_STORE),
        daemon.get(DeliveryRepository).countByState(),
      ]);
      const open = (tasks['requested'] ?? 0) + (writeBacks['ready'] ?? 0) + (deliveries['received'] ?? 0);
      // A product on its way from one table to the next can be in both.
      done = Math.max(done, total - open);
      progress.show({ phase: 'content', done, total });
      return open === 0 ? null : movedOf(world);
    });
  } finally {
    progress.end();
  }
}

/** Changes with every request to either side. */
function movedOf({ catalog, shop }: DemoWorld): string {
  return `${String(catalog.requests().length)} ${shop.moved()}`;
}

/** Looks until there is nothing to wait for. Otherwise a look returns a text that changes while the work moves on. */
async function until(what: string, signal: AbortSignal, look: () => Promise<string | null>): Promise<void> {
  let last = '';
  let movedAt = performance.now();
  for (;;) {
    const seen = await look();
    if (seen === null) return;
    if (seen !== last) movedAt = performance.now();
    last = seen;
    if (performance.now() - movedAt > STUCK_AFTER_MS)
      throw new CodedError(
        'transient',
        `nothing has moved for ${String(STUCK_AFTER_MS / 1000)} seconds while ${what} was open`,
      );
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

async function storyOf({ daemon }: DemoWorld, externalId: string): Promise<ProductStory> {
  const [link, task, writeBacks, action] = await Promise.all([
    daemon.get(LinkRepository).get(externalId),
    daemon.get(TaskRepository).newest(externalId),
    daemon.get(WriteBackRepository).forProduct(externalId),
    daemon.get(ActionRepository).newest(externalId),
  ]);
  const writeBack = writeBacks.at(-1);
  return {
    link,
    taskState: task?.state ?? null,
    taskReason: task?.reason ?? null,
    writeBack: writeBack ? heldOrNot(writeBack) : null,
    failure: action?.state === 'failed' ? (action.error?.message ?? 'unknown') : null,
  };
}

function heldOrNot({ state, reason, gateFindings }: WriteBackEntity) {
  return { state, reason, isHeld: state === 'pending_review' && gateFindings.length > 0 };
}

/** Progress goes to stderr: stdout is the result. */
function say(text: string): void {
  process.stderr.write(`· ${text}\n`);
}

async function keepUp(world: DemoWorld, signal: AbortSignal): Promise<void> {
  const path = world.daemon.get(SignInLinks).pathFor(ADMIN);
  for (const line of dashboardLines({ ...world, path: process.stdout.isTTY ? path : null })) print(line);
  print(`The sandbox catalog is at ${world.catalog.baseUrl}, the sandbox store at ${world.shop.url}.`);
  print(`Try commands on it: npx store-sync status --config ${world.configFile}`);
  if (!signal.aborted) await once(signal, 'abort');
}
