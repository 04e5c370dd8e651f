import { startTestStore } from './test-store.js';
import type { TestStore, TestStoreOptions } from './test-store.js';

export interface ApiError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: Readonly<Record<string, unknown>>;
}

export interface UserError {
  readonly field: readonly string[] | null;
  readonly message: string;
  readonly code?: string | null;
}

/** `Data` is what the test's document asks for; in an answer with errors it may be missing. */
export interface Answer<Data> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly data: Data;
    readonly errors?: readonly ApiError[];
    readonly extensions?: {
      readonly cost: Readonly<Record<string, unknown>>;
      readonly search?: readonly { readonly warnings: readonly unknown[] }[];
    };
  };
}

/** A clock that moves only when the test moves it. */
export class TestClock {
  constructor(private time = Date.parse('2026-11-19T12:00:00Z')) {}

  readonly now = (): Date => new Date(this.time);

  advance(milliseconds: number): void {
    this.time += milliseconds;
  }
}

const running: TestStore[] = [];

/** A sandbox that `stopSandboxes` stops; unthrottled and with immediate exports unless the test says otherwise. */
export async function sandbox(options: TestStoreOptions = {}): Promise<TestStore> {
  const started = await startTestStore({
    ...{ throttle: false, exportMs: 0 },
    ...options,
  });
  running.push(started);
  return started;
}

/** For `afterEach`. Fails the test when a sandbox had an internal error. */
export async function stopSandboxes(): Promise<void> {
  const stopped = running.splice(0);
  await Promise.all(stopped.map((each) => each.stop()));
  const errors = stopped.flatMap((each) => each.internalErrors);
  if (errors.length > 0) throw new AggregateError(errors, 'the sandbox store failed by itself');
}

export async function call<Data = Readonly<Record<string, unknown>>>(
  store: TestStore,
  query: string,
  variables: Record<string, unknown> = {},
  { token = store.accessToken ?? '', version = '2026-10' } = {},
): Promise<Answer<Data>> {
  const response = await fetch(`${store.url}/admin/api/${version}/graphql.json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-shopify-access-token': token },
    body: JSON.stringify({ query, variables }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: JSON.parse(text) as Answer<Data>['body'],
  };
}

/** A product export of the given rows; absent columns are empty. */
export function csv(...rows: Record<string, string>[]): string {
  const columns = [...new Set(['Handle', 'Title', ...rows.flatMap((row) => Object.keys(row))])];
  const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  return [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
    .map((cells) => cells.map(cell).join(','))
    .join('\n');
}

/** So many products with a variant each, titled `Product 1` and so on. */
export function productsCsv(count: number): string {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  return csv(
    ...numbers.map((n) => ({
      Handle: `product-${n}`,
      Title: `Product ${n}`,
      'Variant SKU': `SKU-${n}`,
      'Variant Price': '1',
    })),
  );
}
