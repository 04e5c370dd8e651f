import { fileURLToPath } from 'node:url';
import { type Child, startChild } from '../support/child.js';
import type { ExportFile } from './products.js';

const PROGRAM = fileURLToPath(new URL('sides-main.ts', import.meta.url));

export interface Requests {
  readonly catalog: Readonly<Record<string, number>>;
  /** Requests that change a product of the catalog. */
  readonly writes: number;
  /** From the arrival of each request of a run at the catalog to its answer, together. */
  readonly catalogSeconds: number;
}

/** Products on a page of the catalog's listing. */
export const LISTING_PAGE = 50;
/** The time of an answer of the catalog. */
export const CATALOG_MS = 30;
/** `requestsPerSecond` of the workspace. */
export const REQUESTS_PER_SECOND = 50;

/** The two other sides in a process of their own. */
export class Sides {
  private constructor(
    private readonly child: Child,
    readonly storeUrl: string,
    readonly catalogUrl: string,
  ) {}

  static async start(): Promise<Sides> {
    const child = startChild(PROGRAM, []);
    const ports = JSON.parse(await child.said('up ')) as { store: number; catalog: number };
    const url = (port: number): string => `http://127.0.0.1:${String(port)}`;
    return new Sides(child, url(ports.store), `${url(ports.catalog)}/api/v1`);
  }

  async order(orders: {
    file?: ExportFile;
    catalogMs?: number;
    listed?: readonly { shops: readonly string[]; products: number }[];
  }): Promise<void> {
    const line = JSON.stringify(orders);
    this.child.send(line);
    await this.child.said(`taken ${line}`);
  }

  /** Requests since the last call. */
  async takeCounts(): Promise<Requests> {
    const before = this.child.lines.filter((line) => line.startsWith('counts ')).length;
    this.child.send('counts');
    for (;;) {
      const said = this.child.lines.filter((line) => line.startsWith('counts '));
      const last = said.at(-1);
      if (said.length > before && last !== undefined)
        return JSON.parse(last.slice('counts '.length)) as Requests;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async stop(): Promise<void> {
    await this.child.kill();
  }
}
