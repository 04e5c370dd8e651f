import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  startCatalogSandbox,
  type CatalogSandboxOptions,
  type RunningCatalogSandbox,
} from '../../src/sandbox/catalog/index.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { Api, type Answer } from './api.js';
import { Receiver } from './receiver.js';
import { RULES } from './rules.js';
import { detailShape, fieldErrorsShape, productShape, taskShape, type Product } from './shapes.js';

/**
 * The needs of a test besides a base URL and a token: a login, or a sandbox of its own with its clock, database and
 * operator. Undocumented rules need such a sandbox. A service that is somebody else's is not asked for the latter.
 */
export type Need = 'login' | 'sandbox';

const EXTERNAL_URL = process.env['CONTRACT_URL'];
const EXTERNAL_LOGIN = { email: process.env['CONTRACT_EMAIL'], password: process.env['CONTRACT_PASSWORD'] };
const LOGIN = { email: 'merchant@example.com', password: 'correct horse battery staple' };

export class TestClock {
  private offsetMs = 0;

  readonly now = (): Date => new Date(Date.now() + this.offsetMs);

  advance(ms: number): void {
    this.offsetMs += ms;
  }
}

/** A sandbox of the tests' own, its clock and its database. */
export class SandboxControl {
  private constructor(
    readonly clock: TestClock,
    readonly database: TestDatabase,
    private readonly options: Omit<CatalogSandboxOptions, 'databaseUrl'>,
    public sandbox: RunningCatalogSandbox,
    readonly token: string,
  ) {}

  static async start(options: Omit<CatalogSandboxOptions, 'databaseUrl'> = {}): Promise<SandboxControl> {
    const clock = new TestClock();
    const database = await createTestDatabase();
    const all = { clock: clock.now, generationDelayMs: 10, backgroundDelayMs: 10, pollMs: 50, ...options };
    const sandbox = await startCatalogSandbox({ databaseUrl: database.url, ...all });
    await sandbox.createUser(LOGIN.email, LOGIN.password);
    const { token } = await sandbox.issueApiToken('contract suite');
    return new SandboxControl(clock, database, all, sandbox, token);
  }

  get api(): Api {
    return new Api(this.sandbox.baseUrl, this.token);
  }

  /** Moves the clock and makes the sandbox look at it. */
  advance(ms: number): void {
    this.clock.advance(ms);
    this.sandbox.wake();
  }

  /** A second instance on the same database. */
  async another(): Promise<RunningCatalogSandbox> {
    return startCatalogSandbox({ databaseUrl: this.database.url, ...this.options });
  }

  async restart(changes: Partial<CatalogSandboxOptions> = {}): Promise<void> {
    await this.sandbox.stop();
    this.sandbox = await startCatalogSandbox({ databaseUrl: this.database.url, ...this.options, ...changes });
  }

  async stop(): Promise<void> {
    await this.sandbox.stop();
    await this.database.drop();
  }
}

/** The tools of a rule's test. */
export class Contract {
  private readonly created = new Set<number>();

  constructor(
    readonly api: Api,
    readonly login: { readonly email: string; readonly password: string },
    private readonly control: SandboxControl | undefined,
    private readonly deliveries: Receiver | undefined,
  ) {}

  get own(): SandboxControl {
    if (this.control === undefined) throw new Error('This test needs a sandbox of its own');
    return this.control;
  }

  get receiver(): Receiver {
    if (this.deliveries === undefined) throw new Error('This test needs a receiver of deliveries');
    return this.deliveries;
  }

  /** Text that no other test and no product of the service has. */
  readonly unique = (prefix = 'contract'): string => `${prefix}-${randomBytes(6).toString('hex')}`;

  /** Posts a product that must be new and be answered as such; it is deleted when the suite ends. */
  async create(
    body: Readonly<Record<string, unknown>> = {},
    query: Record<string, string> = {},
  ): Promise<Product> {
    const answer = await this.api.post('/products/', { external_id: this.unique(), ...body }, query);
    const product = productOf(answer);
    this.created.add(product.id);
    return product;
  }

  /** A product model of which the background creation is done. */
  async createModel(
    variants: readonly Readonly<Record<string, unknown>>[],
    body: Readonly<Record<string, unknown>> = {},
  ): Promise<Product> {
    const externalId = this.unique('model');
    const answer = await this.api.post('/products/', { external_id: externalId, ...body, variants });
    expect(answer.body).toMatchObject({ background_task_id: expect.any(Number) });
    const { background_task_id: taskId } = answer.body as { background_task_id: number };
    await this.taskEnd(taskId);
    // Found again without the listing: one more upsert, without variants, answers the product.
    const found = productOf(await this.api.post('/products/', { external_id: externalId }));
    this.created.add(found.id);
    return found;
  }

  async read(id: number, query: Record<string, string> = {}): Promise<Product> {
    return productOf(await this.api.get(`/products/${id}/`, query));
  }

  taskEnd(taskId: string | number): Promise<Readonly<Record<string, unknown>>> {
    return taskEnd(this.api, taskId);
  }

  /** Asks for the generation of one product and waits for the end of its task. */
  async generate(...productIds: number[]): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.api.post('/products/generate/', { product_ids: productIds });
    const { task_id: taskId } = taskIdShape.parse(answer.body);
    return this.taskEnd(taskId);
  }

  async cleanUp(): Promise<void> {
    for (const id of this.created) await this.api.delete(`/products/${id}/`);
  }
}

/** Asks until the task has ended; fails after ten seconds. */
export async function taskEnd(api: Api, taskId: string | number): Promise<Readonly<Record<string, unknown>>> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline;) {
    const answer = await api.get(`/background-tasks/${taskId}/`);
    expect(answer.status).toBe(200);
    const task = taskShape.parse(answer.body);
    if (!['PENDING', 'STARTED'].includes(task.status)) return task;
    await sleep(15);
  }
  throw new Error(`Task ${taskId} did not end`);
}

const taskIdShape = taskShape.pick({ task_id: true });

export function productOf(answer: Answer): Product {
  const parsed = productShape.safeParse(answer.body);
  if (!parsed.success) throw new Error(`No product: ${answer.status} ${JSON.stringify(answer.body)}`);
  return parsed.data;
}

export function expectDetail(answer: Answer, status: number): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
  expect(detailShape.safeParse(answer.body).success).toBe(true);
}

/** A 400 whose body maps exactly these fields to messages. */
export function expectFieldErrors(answer: Answer, ...fields: string[]): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 400 });
  expect(fieldErrorsShape.safeParse(answer.body).success).toBe(true);
  expect(Object.keys(answer.body as object).sort()).toEqual([...fields].sort());
}

/** Starts the target once for the file: the service that CONTRACT_URL names, or a sandbox. */
export function useContract(): (
  id: string,
  test: (contract: Contract) => Promise<void>,
  options?: RuleOptions,
) => void {
  let contract: Contract | undefined;
  let control: SandboxControl | undefined;
  let receiver: Receiver | undefined;

  beforeAll(async () => {
    if (EXTERNAL_URL === undefined) {
      control = await SandboxControl.start();
      receiver = await Receiver.start();
      contract = new Contract(control.api, LOGIN, control, receiver);
    } else {
      const api = new Api(EXTERNAL_URL.replace(/\/$/, ''), process.env['CONTRACT_TOKEN'] ?? '');
      const { email = '', password = '' } = EXTERNAL_LOGIN;
      contract = new Contract(api, { email, password }, undefined, undefined);
    }
  });

  afterAll(async () => {
    await contract?.cleanUp();
    await control?.stop();
    await receiver?.stop();
  });

  return (id, test, { needs = [], note = '' } = {}) => {
    const rule = RULES.find((candidate) => candidate.id === id);
    if (rule === undefined) throw new Error(`rules.ts has no ${id}`);
    const missing = missingNeeds(rule.decided === true ? [...needs, 'sandbox'] : needs);
    const title = `[${id}] ${rule.rule}${note === '' ? '' : `: ${note}`}`;
    const register = missing.length === 0 ? it : it.skip;
    register(
      missing.length === 0 ? title : `${title} (not applicable here: needs ${missing.join(', ')})`,
      async () => {
        if (contract === undefined) throw new Error('The target was not started');
        await test(contract);
      },
    );
  };
}

export interface RuleOptions {
  readonly needs?: readonly Need[];
  /** Which of a rule's cases this is. */
  readonly note?: string;
}

export type RuleTest = ReturnType<typeof useContract>;

function missingNeeds(needs: readonly Need[]): Need[] {
  if (EXTERNAL_URL === undefined) return [];
  const hasLogin = EXTERNAL_LOGIN.email !== undefined && EXTERNAL_LOGIN.password !== undefined;
  return [...new Set(needs)].filter((need) => need === 'sandbox' || !hasLogin);
}
