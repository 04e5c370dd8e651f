import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_COUNTS, type RunCounts } from '../../domain/run-counts.js';
import { CodedError } from '../../domain/errors.js';
import { productExternalId } from '../../domain/external-id.js';
import { presentRun, type PresentedRun } from '../../operations/present-run.js';
import { ActionRepository } from '../../persistence/action.repository.js';
import { DeliveryRepository } from '../../persistence/delivery.repository.js';
import type { WriteBackEntity } from '../../persistence/entities/index.js';
import { LinkRepository } from '../../persistence/link.repository.js';
import { RunRepository } from '../../persistence/run.repository.js';
import { TaskRepository } from '../../persistence/task.repository.js';
import { WriteBackRepository } from '../../persistence/write-back.repository.js';
import { JobProducer } from '../../queue/index.js';
import { RunRequests } from '../../sites/run-requests.js';
import { demoCatalogCsv } from '../../sandbox/demo-catalog/demo-catalog.js';
import { print } from '../output.js';
import { outcomeOf, outcomeTable, type DemoOutcome, type ProductStory } from './demo-report.js';
import { DEMO_STORE, openDemoWorld, type DemoWorld } from './demo-world.js';
import { messages } from '../messages.js';

export interface DemoOptions {
  readonly products?: string;
  readonly keep?: boolean;
}

const LOOK_EVERY_MS = 200;
const RUN_WITHIN_MS = 300_000;
const SETTLED_WITHIN_MS = 300_000;

/** Runs the whole loop. The exit status is 0 only if every product completed and the second run found nothing to do. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const csv = await readProducts(options.products);
  say(messages.demoStarts);
  const world = await openDemoWorld(csv);
  try {
    const outcomes = await loop(world);
    print(outcomeTable(outcomes, process.stdout.columns));
    const stuck = outcomes.filter((outcome) => !outcome.completed);
    print(messages.demoCompleted(outcomes.length - stuck.length, outcomes.length));
    const repeated = await secondRun(world);
    const held = outcomes.filter(({ isHeld }) => isHeld);
    if (held.length > 0)
      print(
        messages.demoHeld(
          held.length,
          held.map(({ before }) => before.handle),
        ),
      );
    print(messages.demoByRules);
    if (options.keep) await keepUp(world);
    return stuck.length === 0 && repeated ? 0 : 1;
  } finally {
    await world.end();
  }
}

async function loop(world: DemoWorld): Promise<DemoOutcome[]> {
  const before = world.store.products.list();
  say(messages.demoFirst(before.length));
  const run = await runToEnd(world);
  print(`first sync ${run.status}: ${countsLine(run.counts)}`);
  for (const remark of [...(run.error === null ? [] : [run.error]), ...run.notes]) print(`  ${remark}`);
  say(messages.demoWaits);
  await allSettled(world);
  return Promise.all(
    before.map(async (product) => {
      const externalId = productExternalId(world.store.shop, String(product.id));
      return outcomeOf(
        product,
        world.store.products.get(product.id),
        await storyOf(world, externalId),
        world.store.shop,
      );
    }),
  );
}

/** Proves that written content does not return as a change: nothing is left to do on either side. */
async function secondRun(world: DemoWorld): Promise<boolean> {
  say(messages.demoSecond);
  const writesBefore = world.store.ledger.mutations.filter(isContentWrite).length;
  world.catalog.resetRequests();
  const run = await runToEnd(world);
  const storeWrites = world.store.ledger.mutations.filter(isContentWrite).length - writesBefore;
  const catalogWrites = world.catalog.requests().filter((request) => request.method !== 'GET').length;
  print(messages.demoSecondDone(run.status, countsLine(run.counts), catalogWrites, storeWrites));
  const { seen, unchanged } = run.counts;
  return run.status === 'succeeded' && seen === unchanged && catalogWrites === 0 && storeWrites === 0;
}

async function readProducts(file: string | undefined): Promise<{ text: string; name: string }> {
  if (file === undefined) return { text: demoCatalogCsv(), name: messages.demoCatalogue };
  try {
    return { text: await readFile(file, 'utf8'), name: basename(file) };
  } catch (error) {
    throw new CodedError(
      'misconfigured',
      messages.unreadableFile(file, error instanceof Error ? error.message : String(error)),
    );
  }
}

function isContentWrite({ name }: { readonly name: string }): boolean {
  return name !== 'bulkOperationRunQuery' && name !== 'webhookSubscriptionCreate';
}

async function runToEnd(world: DemoWorld): Promise<PresentedRun> {
  const { daemon } = world;
  const { id } = await daemon.get(RunRequests).request({ store: DEMO_STORE, full: true, trigger: 'command' });
  await daemon.get(JobProducer).enqueue('runs', id);
  return until('the run', RUN_WITHIN_MS, async () => {
    const run = await daemon.get(RunRepository).get(id);
    return run === null || run.state === 'queued' || run.state === 'running' ? null : presentRun(run);
  });
}

/** Waits until no task, delivery or write-back is open. */
async function allSettled({ daemon }: DemoWorld): Promise<void> {
  await until('the content', SETTLED_WITHIN_MS, async () => {
    const [tasks, writeBacks, deliveries] = await Promise.all([
      daemon.get(TaskRepository).countByState(DEMO_STORE),
      daemon.get(WriteBackRepository).countByState(DEMO_STORE),
      daemon.get(DeliveryRepository).countByState(),
    ]);
    const open = (tasks['requested'] ?? 0) + (writeBacks['ready'] ?? 0) + (deliveries['received'] ?? 0);
    return open === 0 ? true : null;
  });
}

async function until<T>(what: string, withinMs: number, look: () => Promise<T | null>): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > end)
      throw new CodedError('transient', messages.demoTimedOut(what, withinMs / 1000));
    await sleep(LOOK_EVERY_MS);
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

function countsLine(counts: RunCounts): string {
  return Object.entries({ ...NO_COUNTS, ...counts })
    .map(
      ([name, count]) => `${String(count)} ${name === 'generationRequested' ? messages.demoRequested : name}`,
    )
    .join(', ');
}

/** Progress goes to stderr: stdout is the result. */
function say(text: string): void {
  process.stderr.write(`· ${text}\n`);
}

async function keepUp(world: DemoWorld): Promise<void> {
  print(messages.demoUp(world.url, world.adminToken));
  print(messages.demoSides(world.catalog.baseUrl, world.store.url));
  print(messages.demoConfig(world.configFile));
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
}
