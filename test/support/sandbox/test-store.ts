import { z } from 'zod';
import {
  DEFAULT_SCOPES,
  DEFAULT_SHOP,
  startStoreSandbox,
  type Answer,
  type RunningStoreSandbox,
  type StoreCall,
  type StoreSandboxOptions,
} from '../../../src/sandbox/store/index.js';
import { Faults, type Fault, type FaultScope } from './faults.js';
import { InstallableApp } from './installable-app.js';
import { Merchant } from './merchant.js';
import { spoiled, type BulkMode } from './spoiled-exports.js';

/** One request of the GraphQL API, with what became of it. */
export interface RequestEntry extends Omit<StoreCall, 'kind'> {
  readonly at: Date;
  /** HTTP status of the answer; null when the connection was cut instead. */
  readonly status: number | null;
  readonly throttled: boolean;
  /** Points that the answer used. */
  readonly points: number;
}

/** The store of the sandbox, which fails when a test says so and keeps a list of its requests. */
export interface TestStore extends RunningStoreSandbox {
  /** The merchant's side: reads and edits beside the API. */
  readonly products: Merchant;
  readonly requests: readonly RequestEntry[];
  /** Errors of the sandbox itself; a caller sees INTERNAL_SERVER_ERROR. */
  readonly internalErrors: readonly unknown[];
  /** The next requests are answered THROTTLED. */
  throttleNext(count?: number, scope?: Omit<FaultScope, 'count'>): void;
  /** The next request (or `count`) is answered with this status; `retryAfterSeconds` becomes its header. */
  failNext(status: number, scope?: FaultScope & { readonly retryAfterSeconds?: number }): void;
  /** The next request's connection is cut: before it is carried out, or after it. Default before. */
  resetNext(scope?: FaultScope & { readonly when?: 'before' | 'after' }): void;
  clearFaults(): void;
  /** Ends every token, the permanent one as well. */
  revokeTokens(): void;
  /** A query with the store's signature. */
  signedQuery(values: Readonly<Record<string, string>>): string;
  /** How exports go from now on. */
  setBulkMode(mode: BulkMode): void;
}

export interface TestStoreOptions extends Omit<StoreSandboxOptions, 'around' | 'access' | 'onError'> {
  /** Addresses that the consent page may lead to; default any. */
  readonly redirectUrls?: readonly string[];
  /** Life of tokens that the merchant's consent gives; default an hour. */
  readonly offlineLifetimeSeconds?: number;
}

export async function startTestStore(options: TestStoreOptions = {}): Promise<TestStore> {
  const { redirectUrls = null, offlineLifetimeSeconds = HOUR_SECONDS, ...sandbox } = options;
  const { shop = DEFAULT_SHOP, scopes = DEFAULT_SCOPES, accessToken = 'shpat_sandbox' } = options;
  const now = options.clock ?? (() => new Date());
  const faults = new Faults();
  const requests: RequestEntry[] = [];
  const internalErrors: unknown[] = [];
  let mode: BulkMode = 'ok';
  const access = new InstallableApp({
    ...{ shop, scopes, accessToken, redirectUrls, offlineLifetimeSeconds, now },
    clientId: options.clientId ?? null,
    clientSecret: options.clientSecret ?? null,
  });
  const store = await startStoreSandbox({
    ...sandbox,
    access,
    onError: (error) => void internalErrors.push(error),
    around: async (call, proceed) => {
      const answer = await answerUnder(faultOf(faults, call), () => spoiled(mode, call, proceed));
      if (call.kind === 'graphql') requests.push(entryOf(call, answer, now()));
      return answer;
    },
  });
  return {
    ...store,
    products: new Merchant(store.state),
    requests,
    internalErrors,
    throttleNext: (count = 1, scope = {}) => faults.arm({ kind: 'throttle' }, { ...scope, count }),
    failNext: (status, { retryAfterSeconds, ...scope } = {}) =>
      faults.arm({ kind: 'status', status, retryAfterSeconds: retryAfterSeconds ?? null }, scope),
    resetNext: ({ when = 'before', ...scope } = {}) => faults.arm({ kind: 'reset', when }, scope),
    clearFaults: () => faults.clear(),
    revokeTokens: () => access.end(),
    signedQuery: (values) => access.signed(values),
    setBulkMode: (next) => {
      mode = next;
    },
  };
}

const HOUR_SECONDS = 3_600;

function faultOf(faults: Faults, { kind, operationName, fields }: StoreCall): Fault | null {
  return kind === 'graphql'
    ? faults.next([...(operationName === null ? [] : [operationName]), ...fields])
    : null;
}

async function answerUnder(fault: Fault | null, proceed: () => Promise<Answer>): Promise<Answer | null> {
  switch (fault?.kind) {
    case 'throttle':
      return THROTTLED;
    case 'status':
      return refusal(fault);
    case 'reset':
      if (fault.when === 'after') await proceed();
      return null;
    case undefined:
      return proceed();
  }
}

const THROTTLED: Answer = {
  status: 200,
  body: {
    errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }],
    extensions: {
      cost: {
        requestedQueryCost: 10,
        actualQueryCost: null,
        throttleStatus: { maximumAvailable: 2000, currentlyAvailable: 2000, restoreRate: 100 },
      },
    },
  },
};

/** Outages come from what stands before the API and are no JSON; limits and refusals are. */
function refusal({ status, retryAfterSeconds }: Extract<Fault, { kind: 'status' }>): Answer {
  const headers: Record<string, string> =
    retryAfterSeconds === null ? {} : { 'retry-after': retryAfterSeconds.toFixed(1) };
  if (status < 500) return { status, body: { errors: `Refused with ${String(status)}` }, headers };
  const body = `<!DOCTYPE html><html><head><title>${String(status)}</title></head><body>Something went wrong</body></html>`;
  return { status, body, headers: { 'content-type': 'text/html', ...headers } };
}

function entryOf({ kind: _kind, ...call }: StoreCall, answer: Answer | null, at: Date): RequestEntry {
  const { errors = [], extensions } = bodySchema.safeParse(answer?.body).data ?? {};
  return {
    ...call,
    at,
    status: answer?.status ?? null,
    throttled: errors.some((error) => error.extensions?.code === 'THROTTLED'),
    points: extensions?.cost.actualQueryCost ?? 0,
  };
}

const bodySchema = z.object({
  errors: z.array(z.object({ extensions: z.object({ code: z.string().optional() }).optional() })).optional(),
  extensions: z.object({ cost: z.object({ actualQueryCost: z.number().nullable() }) }).optional(),
});
