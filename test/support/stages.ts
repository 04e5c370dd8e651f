import type { CatalogClient } from '../../src/catalog/client.js';
import { storeSchema } from '../../src/config/store-schema.js';
import { workspaceSchema } from '../../src/config/workspace-schema.js';
import { Metrics } from '../../src/observability/metrics/metrics.js';
import { ActionRepository } from '../../src/persistence/action.repository.js';
import { openDataSource } from '../../src/persistence/data-source.js';
import { Database } from '../../src/persistence/database.js';
import { CreditRepository } from '../../src/persistence/credit.repository.js';
import { DeliveryRepository } from '../../src/persistence/delivery.repository.js';
import { OwedProductEntity, type SyncRunEntity } from '../../src/persistence/entities/index.js';
import { LinkRepository } from '../../src/persistence/link.repository.js';
import { OwedRepository } from '../../src/persistence/owed.repository.js';
import { RunRepository } from '../../src/persistence/run.repository.js';
import { SidePauseRepository } from '../../src/persistence/side-pause.repository.js';
import { PlanRepository } from '../../src/persistence/plan.repository.js';
import { ShopIdentityRepository } from '../../src/persistence/shop-identity.repository.js';
import { StateRepository } from '../../src/persistence/state.repository.js';
import { StoreKeyRepository } from '../../src/persistence/store-key.repository.js';
import { ResultRepository } from '../../src/persistence/result.repository.js';
import { TaskRepository } from '../../src/persistence/task.repository.js';
import { BulkChangeRepository } from '../../src/persistence/bulk-change.repository.js';
import { WriteBackDecisions } from '../../src/persistence/write-back-decisions.repository.js';
import { WriteBackRepository } from '../../src/persistence/write-back.repository.js';
import { WriteBackReverts } from '../../src/persistence/write-back-reverts.repository.js';
import { WriteCapRepository } from '../../src/persistence/write-cap.repository.js';
import type { StoreConnector } from '../../src/domain/store-port.js';
import { RunRequests } from '../../src/connections/run-requests.js';
import { makeStore, Connections, type Store, type Workspace } from '../../src/connections/connections.js';
import { CONNECTION_BUDGET } from '../../src/runtime/connection-budget.js';
import type { Clock } from '../../src/runtime/clock.js';
import { TaskPoller } from '../../src/schedule/task-poller.js';
import { Applier } from '../../src/sync/apply.js';
import { BackgroundCreations } from '../../src/sync/background-creations.js';
import { GenerationRequester } from '../../src/sync/generation.js';
import { RunEnds } from '../../src/sync/run-ends.js';
import { RunApplication } from '../../src/sync/run-application.js';
import { RunPlanner } from '../../src/sync/run-planner.js';
import { RunWorker } from '../../src/sync/run-worker.js';
import { DeliveryInterpreter } from '../../src/webhooks/interpreter.js';
import { Approver } from '../../src/write-back/approver.js';
import { BulkWorker } from '../../src/write-back/bulk-worker.js';
import { LiveDecision } from '../../src/write-back/live-decision.js';
import { LiveLooks } from '../../src/write-back/live-looks.js';
import { Reapplier } from '../../src/write-back/reapplier.js';
import { WriteBackReverter } from '../../src/write-back/reverter.js';
import { WriteBackWriter } from '../../src/write-back/writer.js';
import { FakeCatalog } from './fake-catalog.js';
import { FakeStore, SHOP } from './fake-store.js';
import { endWithTheFile } from './left-open.mjs';
import { loggerTo, type LogLine } from './logs.js';
import { createMigratedDatabase } from './postgres.js';
import { sqlRows } from './sql.js';

/** Settings as the configuration's file would hold them; the schema fills in the rest. */
export type Settings = Readonly<Record<string, unknown>>;

export const STORE = 'main';
export const OTHER_STORE = 'other';
export const WORKSPACE = 'default';
/** The person who decides in tests. */
export const PERSON = { actor: 'somebody' };
const OTHER_SHOP = 'other.myshopify.com';

/** A clock that moves by being waited for. It starts at the real time, because rows are stamped by the database's. */
export class WaitingClock implements Clock {
  readonly slept: number[] = [];
  /** What the world around does while somebody sleeps. */
  meanwhile: () => Promise<unknown> = async () => new Promise((resolve) => setImmediate(resolve));
  #atMs = Date.now();

  readonly now = (): Date => new Date(this.#atMs);
  readonly random = (): number => 0.5;

  readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    this.slept.push(ms);
    this.#atMs += ms;
    await this.meanwhile();
    signal?.throwIfAborted();
  };

  advance(ms: number): void {
    this.#atMs += ms;
  }

  set(at: Date): void {
    this.#atMs = at.getTime();
  }
}

/** Databases of test files that have ended. A test that changes their tables changes them back. To make a new one takes as much of the machine as three tests. */
const leftEmpty: string[] = [];

/** All stages on one database, as one process has them, with a store and a catalog in memory. */
export class Stages {
  readonly runs: RunRepository;
  readonly actions: ActionRepository;
  readonly links: LinkRepository;
  readonly tasks: TaskRepository;
  readonly deliveries: DeliveryRepository;
  readonly writeBacks: WriteBackRepository;
  readonly results: ResultRepository;
  readonly caps: WriteCapRepository;
  readonly decisions: WriteBackDecisions;
  readonly bulkChanges: BulkChangeRepository;
  readonly plans: PlanRepository;
  readonly state: StateRepository;
  readonly pauses: SidePauseRepository;
  readonly owed: OwedRepository;
  readonly keys: StoreKeyRepository;
  readonly identities: ShopIdentityRepository;

  /** The key of the store in the configuration. */
  storeKey = STORE;
  /** False once the first store is removed from the configuration. */
  isConfigured = true;
  /** The key of the workspace in the configuration. */
  workspaceKey = WORKSPACE;
  store = new FakeStore();
  otherStore = new FakeStore();
  catalog = new FakeCatalog();
  /** Serves in place of the store in memory when it is set. */
  connector: StoreConnector | null = null;
  /** Serves in place of the catalog in memory when it is set. */
  client: CatalogClient | null = null;
  clock = new WaitingClock();
  log: { readonly message: string; readonly fields: object }[] = [];
  /** Every line of every stage, as it would be written; `log` holds a run's warnings alone. */
  lines: LogLine[] = [];
  readonly logger = loggerTo((line) => this.lines.push(line));
  readonly metrics = new Metrics();
  /** Set again by `reset`. */
  settings: { store: Settings; workspace: Settings } = { store: {}, workspace: {} };

  private constructor(
    readonly url: string,
    readonly db: Database,
    private readonly emptyTables: string,
  ) {
    this.runs = new RunRepository(db);
    this.actions = new ActionRepository(db);
    this.links = new LinkRepository(db);
    this.tasks = new TaskRepository(db);
    this.deliveries = new DeliveryRepository(db);
    this.writeBacks = new WriteBackRepository(db);
    this.results = new ResultRepository(db);
    this.caps = new WriteCapRepository(db);
    this.decisions = new WriteBackDecisions(db);
    this.bulkChanges = new BulkChangeRepository(db);
    this.plans = new PlanRepository(db);
    this.state = new StateRepository(db);
    this.pauses = new SidePauseRepository(db);
    this.owed = new OwedRepository(db);
    this.keys = new StoreKeyRepository(db);
    this.identities = new ShopIdentityRepository(db);
  }

  /** For a whole test file, at its top. */
  static async open(): Promise<Stages> {
    const url = leftEmpty.pop() ?? (await createMigratedDatabase()).url;
    const source = await openDataSource({ url, poolSize: CONNECTION_BUDGET.work });
    const db = new Database(source);
    const tables = await sqlRows<{ name: string }>(
      db,
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'`,
    );
    // The tables hold few rows: deleting those takes a millisecond, where TRUNCATE takes twenty.
    const stages = new Stages(url, db, tables.map(({ name }) => `DELETE FROM ${name}`).join(';'));
    endWithTheFile(() => stages.close());
    return stages;
  }

  /** Empties every table and starts with an empty store and catalog. */
  async reset(): Promise<void> {
    await this.db.dataSource.query(this.emptyTables);
    this.storeKey = STORE;
    this.isConfigured = true;
    this.workspaceKey = WORKSPACE;
    this.store = new FakeStore();
    this.otherStore = new FakeStore();
    this.catalog = new FakeCatalog();
    this.connector = null;
    this.client = null;
    this.clock = new WaitingClock();
    this.log = [];
    this.lines = [];
    this.settings = { store: {}, workspace: {} };
  }

  /** Leaves its database empty to the next test file of this worker. */
  private async close(): Promise<void> {
    await this.db.dataSource.query(this.emptyTables);
    await this.db.dataSource.destroy();
    leftEmpty.push(this.url);
  }

  /** The present configuration, built at each use, so that a test may change settings in between. */
  get connections(): Connections {
    const workspace: Workspace = {
      key: this.workspaceKey,
      settings: workspaceSchema.parse({
        baseUrl: 'https://catalog.example.com/api/v1',
        auth: { apiToken: 'token' },
        ...this.settings.workspace,
      }),
      client: this.client ?? this.catalog,
    };
    const store = (key: string, shop: string, connector: StoreConnector): Store =>
      makeStore(
        key,
        storeSchema.parse({
          workspace: this.workspaceKey,
          shop,
          auth: { accessToken: 'token' },
          limits: { maxOrphanedShare: 1 },
          ...this.settings.store,
        }),
        connector,
        workspace,
      );
    const first = store(this.storeKey, SHOP, this.connector ?? this.store);
    const other = store(OTHER_STORE, OTHER_SHOP, this.otherStore);
    return new Connections([workspace], this.isConfigured ? [first, other] : [other]);
  }

  /** As it is configured now. */
  get workspace(): Workspace {
    return this.connections.knownWorkspace(this.workspaceKey);
  }

  get requests(): RunRequests {
    return new RunRequests(this.connections, this.runs, this.state, this.keys);
  }

  get generation(): GenerationRequester {
    return new GenerationRequester(this.links, this.tasks, this.state, new CreditRepository(this.db));
  }

  get worker(): RunWorker {
    const logger = loggerTo((line) => {
      this.lines.push(line);
      if (line.level === 'warn') this.log.push(line);
    });
    const { db, runs, actions, state, pauses, owed, creations, generation, clock } = this;
    const application = new RunApplication(
      runs,
      actions,
      new Applier(db, actions, this.metrics),
      creations,
      generation,
      clock,
    );
    return new RunWorker(
      this.connections,
      runs,
      new RunPlanner(db, runs, owed, pauses, state, clock, logger),
      application,
      pauses,
      new RunEnds(actions, owed, pauses, clock, logger),
      logger,
    );
  }

  /** The catalog has refused our credentials. */
  async pauseCatalog(reason: string): Promise<void> {
    await this.pauses.catalog.pause(WORKSPACE, { scope: 'everything', code: 'credentials_refused', reason });
  }

  /** The row of an owed product; null when it is not owed. */
  async owedRow(externalId: string): Promise<OwedProductEntity | null> {
    return this.db.repository(OwedProductEntity).findOneBy({ externalId });
  }

  get creations(): BackgroundCreations {
    return new BackgroundCreations(this.links, this.actions, this.runs, this.clock);
  }

  get interpreter(): DeliveryInterpreter {
    const { deliveries, links, tasks, results, state } = this;
    return new DeliveryInterpreter(this.connections, deliveries, links, tasks, results, state, this.logger);
  }

  get poller(): TaskPoller {
    const { tasks, links, deliveries, results, clock } = this;
    return new TaskPoller(this.connections, tasks, links, deliveries, results, clock, this.state);
  }

  get writer(): WriteBackWriter {
    const { connections, writeBacks, links, pauses, caps, clock, logger } = this;
    return new WriteBackWriter(connections, writeBacks, links, pauses, caps, this.decision, clock, logger);
  }

  get reverter(): WriteBackReverter {
    return new WriteBackReverter(
      this.connections,
      this.writeBacks,
      new WriteBackReverts(this.db),
      this.links,
      this.clock,
      this.logger,
    );
  }

  get bulkWorker(): BulkWorker {
    return this.bulkWorkerWith({});
  }

  /** A worker of bulk changes, with some of its parts replaced. */
  bulkWorkerWith({
    changes = this.bulkChanges,
    reverter = this.reverter,
  }: {
    readonly changes?: BulkChangeRepository;
    readonly reverter?: WriteBackReverter;
  }): BulkWorker {
    const { connections, writeBacks, decisions, approver, reapplier, logger } = this;
    return new BulkWorker(connections, changes, writeBacks, decisions, approver, reverter, reapplier, logger);
  }

  get decision(): LiveDecision {
    return new LiveDecision(this.writeBacks);
  }

  get looks(): LiveLooks {
    return new LiveLooks(this.connections, this.links, this.decision, this.clock);
  }

  get approver(): Approver {
    const { connections, links, writeBacks, decisions, decision, looks } = this;
    return new Approver(connections, links, writeBacks, decisions, decision, looks);
  }

  get reapplier(): Reapplier {
    return new Reapplier(this.writeBacks, this.links, this.decisions);
  }

  /** Asks for a run and works it to its end. */
  async sync(
    options: { full?: boolean; force?: boolean; store?: string; signal?: AbortSignal } = {},
  ): Promise<SyncRunEntity> {
    const { full = true, force = false, store = this.storeKey } = options;
    const { id } = await this.requests.request({ store, full, force, trigger: 'command' });
    return this.work(id, options.signal);
  }

  async work(id: string, signal = new AbortController().signal): Promise<SyncRunEntity> {
    await this.worker.work(id, signal);
    const run = await this.runs.get(id);
    if (!run) throw new Error(`run ${id} is gone`);
    return run;
  }

  /** Expires the lease of the run's worker, as after a crash. By default, the pause that follows is over, too. */
  async expireLease(runId: string, secondsAgo = 3600): Promise<void> {
    await this.db.affected(
      `UPDATE sync_run SET lease_until = now() - $2 * interval '1 second' WHERE id = $1`,
      [runId, secondsAgo],
    );
  }

  async link(storeId: number | string) {
    const link = await this.links.get(`shopify:${SHOP}:${String(storeId)}`);
    if (!link) throw new Error(`product ${String(storeId)} has no link`);
    return link;
  }

  async actionsOf(runId: string) {
    return sqlRows<{
      id: string;
      externalId: string;
      kind: string;
      state: string;
      reason: string;
      fields: string[];
    }>(
      this.db,
      'SELECT id, external_id, kind, state, reason, fields FROM sync_action WHERE run_id = $1 ORDER BY id',
      [runId],
    );
  }

  /** Every table's rows as text, for what must leave no trace. */
  async contents(): Promise<string> {
    const tables = await sqlRows<{ name: string }>(
      this.db,
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`,
    );
    const parts: string[] = [];
    for (const { name } of tables) {
      const rows = await sqlRows<{ row: string }>(
        this.db,
        `SELECT t::text AS row FROM ${name} AS t ORDER BY t::text`,
      );
      parts.push(`${name}: ${rows.map((row) => row.row).join('\n')}`);
    }
    return parts.join('\n');
  }
}
