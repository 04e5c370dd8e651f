import type { SandboxProduct } from '../../../src/sandbox/store/index.js';
import { single } from '../../support/e2e-products.js';
import { until, World, type WorldOptions } from '../../support/e2e-world.js';

/** A world with the daemon in this process, with all of its log. */
export async function openDashboard(options: WorldOptions = {}): Promise<World> {
  const world = await World.open(options);
  await world.startHere({ quiet: false });
  return world;
}

/** Generated content of a product that waits for review. */
export interface Waiting {
  readonly id: string;
  readonly path: string;
  readonly run: string;
  /** The product's number in the store. */
  readonly product: number;
  /** The product as the store has it now. */
  readonly live: () => SandboxProduct;
  readonly title: () => string;
}

/** Products of these names in the store, each with generated content that waits for review. */
export async function waiting(world: World, ...names: string[]): Promise<Waiting[]> {
  const products = names.map((name) => single(world.store, name));
  await world.runToEnd();
  return Promise.all(
    products.map(({ id: product }, index) =>
      until(`the review of ${names[index] ?? ''}`, async () => {
        const [row] = await world.rows<{ id: string; run: string }>(
          `SELECT id, run_id AS run FROM write_back WHERE state = 'pending_review' AND external_id LIKE $1`,
          [`%:${product}`],
        );
        if (row === undefined) return null;
        const live = () => world.store.products.get(product)!;
        return { ...row, path: `/write-backs/${row.id}`, product, live, title: () => live().title };
      }),
    ),
  );
}

/** Waits until the write-back is in that state. */
export async function inState(world: World, id: string, state: string): Promise<void> {
  await until(`write-back ${id} being ${state}`, async () => {
    const rows = await world.rows('SELECT 1 FROM write_back WHERE id = $1 AND state = $2', [id, state]);
    return rows.length > 0;
  });
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** An HTTP client that keeps cookies and submits forms, like a browser. */
export class Visitor {
  readonly cookies = new Map<string, string>();

  constructor(private readonly url: string) {}

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.#send(path, { headers });
  }

  async post(
    path: string,
    fields: readonly (readonly [string, string])[],
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return this.#send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString(),
    });
  }

  /** Opens a page and posts as a browser would from its form. */
  async submit(from: string, path: string, fields: readonly (readonly [string, string])[]): Promise<Answer> {
    await this.get(from);
    return this.post(path, fields, { 'sec-fetch-site': 'same-origin' });
  }

  async signIn(token: string): Promise<Answer> {
    return this.post('/login', [['token', token]]);
  }

  async #send(path: string, init: RequestInit): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(`${this.url}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { ...(init.headers as Record<string, string>), ...(cookie === '' ? {} : { cookie }) },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (line.includes('; Max-Age=0;')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
}
