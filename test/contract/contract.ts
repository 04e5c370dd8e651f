import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { z } from 'zod';
import { TASK_FIELDS, DEFAULT_TASK_STATUSES } from '../../src/catalog/assumptions.js';
import type { Answer, Api } from './api.js';
import { expectSuccess, productOf, succeeded } from './expectations.js';
import type { Receiver } from './receiver.js';
import type { SandboxControl } from './sandbox-control.js';
import { pageShape, productShape, type Product } from './shapes.js';

/** How the suite reaches a service, and how patient it is. */
export interface Target {
  readonly api: Api;
  readonly login: { readonly email: string; readonly password: string };
  /** Absent for a service of which only the URL is known. */
  readonly control: SandboxControl | undefined;
  readonly receiver: Receiver;
  readonly generationPath: string;
  /** A token without a permission. */
  readonly narrowToken: string | undefined;
  /** A locale other than the default one of the workspace. */
  readonly locale: string;
  /** The longest time that a background task or a delivery may take. */
  readonly waitMs: number;
  /** Whether the suite waits ten minutes for all retries of a delivery, or only for the first two. */
  readonly allRetries: boolean;
}

/** The tools of a rule's test. */
export class Contract {
  private readonly created = new Set<number>();
  readonly api: Api;
  readonly login: Target['login'];
  readonly receiver: Receiver;
  readonly locale: string;

  constructor(readonly target: Target) {
    ({ api: this.api, login: this.login, receiver: this.receiver, locale: this.locale } = target);
  }

  get own(): SandboxControl {
    if (this.target.control === undefined) throw new Error('This test needs a sandbox of its own');
    return this.target.control;
  }

  /** The service's clock. A service that is known by its URL has the real time. */
  now(): Date {
    return this.target.control?.clock.now() ?? new Date();
  }

  /** Text that no other test and no product of the service has. */
  readonly unique = (prefix = 'contract'): string => `${prefix}-${randomBytes(6).toString('hex')}`;

  /** Posts a product that must be new and be answered as such; it is deleted when the suite ends. */
  async create(
    body: Readonly<Record<string, unknown>> = {},
    query: Record<string, string> = {},
  ): Promise<Product> {
    const answer = await this.api.post('/products/', { external_id: this.unique(), ...body }, query);
    return this.remember(productOf(answer));
  }

  /** A product model of which the background creation is done: the listing shows it with its variants. */
  async createModel(
    variants: readonly Readonly<Record<string, unknown>>[],
    body: Readonly<Record<string, unknown>> = {},
  ): Promise<Product> {
    const externalId = this.unique('model');
    const { name = this.unique('model') } = body;
    const answer = await this.api.post('/products/', { external_id: externalId, ...body, name, variants });
    expect(answer.body).toMatchObject({ background_task_id: expect.any(Number) });
    const search = z.string().parse(name);
    const found = await this.eventually(`the product model "${search}"`, async () => {
      const page = pageShape.parse((await this.api.get('/products/', { search })).body);
      return page.results.find((product) => product['external_id'] === externalId);
    });
    return this.remember(await this.read(found.id));
  }

  async read(id: number, query: Record<string, string> = {}): Promise<Product> {
    return productOf(await this.api.get(`/products/${id}/`, query));
  }

  /** The variants of a product: a page or a bare list. */
  async variantsOf(id: number): Promise<readonly Product[]> {
    const { body } = await this.api.get(`/products/${id}/variants/`);
    return Array.isArray(body) ? productShape.array().parse(body) : pageShape.parse(body).results;
  }

  taskEnd(taskId: string | number): Promise<Readonly<Record<string, unknown>>> {
    return taskEnd(this.api, taskId, this.target.waitMs);
  }

  /** Asks for the generation of products; answers the request's task id, or undefined where none is answered. */
  requestGeneration(...productIds: number[]): Promise<string | undefined> {
    return requestGeneration(this.api, this.target.generationPath, productIds);
  }

  /** Asks for the generation of products and waits for the end of its task. */
  async generate(...productIds: number[]): Promise<Readonly<Record<string, unknown>>> {
    const taskId = await this.requestGeneration(...productIds);
    if (taskId === undefined) throw new Error('The answer to the generation request names no task');
    return this.taskEnd(taskId);
  }

  /** Asks until `look` answers something; fails after the target's time. */
  async eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    for (const deadline = Date.now() + this.target.waitMs; Date.now() < deadline;) {
      const seen = await look();
      if (seen !== undefined) return seen;
      await sleep(25);
    }
    throw new Error(`There was no ${what} within ${this.target.waitMs} ms`);
  }

  /** Deletes the products that the tests made; answers the ids of those that are still there. */
  async cleanUp(): Promise<readonly number[]> {
    const left: number[] = [];
    for (const id of this.created) {
      const { status } = await this.api.delete(`/products/${id}/`);
      if (status >= 300 && status !== 404) left.push(id);
    }
    return left;
  }

  /** Remembers a product that a test made by its own request, so that it is deleted when the suite ends. */
  remember(product: Product): Product {
    this.created.add(product.id);
    return product;
  }
}

const ENDED = [...DEFAULT_TASK_STATUSES.success, ...DEFAULT_TASK_STATUSES.failure];

function firstOf(record: unknown, names: readonly string[]): string | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const entries: Readonly<Record<string, unknown>> = { ...record };
  const value = names.map((name) => entries[name]).find((found) => found !== undefined && found !== null);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** The task's id, by whatever field has it: the names of its fields are not documented. */
export function taskIdOf(record: unknown): string | undefined {
  const id = firstOf(record, TASK_FIELDS.id);
  return id === '' ? undefined : id;
}

export async function requestGeneration(
  api: Api,
  path: string,
  productIds: readonly number[],
): Promise<string | undefined> {
  const answer: Answer = await api.post(path, { product_ids: productIds });
  expectSuccess(answer);
  return taskIdOf(answer.body);
}

/** Asks until the task has ended; fails after `waitMs`. */
export async function taskEnd(
  api: Api,
  taskId: string | number,
  waitMs = 10_000,
): Promise<Readonly<Record<string, unknown>>> {
  for (const deadline = Date.now() + waitMs; Date.now() < deadline;) {
    const answer = await api.get(`/background-tasks/${taskId}/`);
    expect(succeeded(answer)).toBe(true);
    const status = firstOf(answer.body, TASK_FIELDS.status)?.toUpperCase() ?? '';
    if (ENDED.includes(status)) return { ...(answer.body as object) };
    await sleep(15);
  }
  throw new Error(`Task ${taskId} did not end`);
}
