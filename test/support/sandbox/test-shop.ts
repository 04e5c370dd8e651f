import {
  startWooCommerceSandbox,
  type Call,
  type Post,
  type Reply,
  type RunningWooCommerceSandbox,
  type WooCommerceSandboxOptions,
} from '../../../src/sandbox/woocommerce/index.js';
import { Faults, type Fault, type FaultScope } from './faults.js';
import { ShopMerchant } from './shop-merchant.js';

export type TestShopOptions = Omit<WooCommerceSandboxOptions, 'around' | 'onError'>;

type Act = (call: Call) => void | Promise<void>;
type Change = (reply: Reply, call: Call) => Reply;

export interface RequestEntry extends Pick<Call, 'method' | 'path' | 'body'> {
  readonly query: Readonly<Record<string, string>>;
  /** HTTP status of the answer; null when the connection was cut instead. */
  readonly status: number | null;
}

/** The shop of the sandbox, which fails when a test says so and keeps a list of its requests. */
export interface TestShop extends RunningWooCommerceSandbox {
  /** The administrator's side, plugins and customers: reads and edits beside the API. */
  readonly products: ShopMerchant;
  readonly requests: readonly RequestEntry[];
  /** Errors of the sandbox itself, such as a request for what it does not have. A caller sees status 500. */
  readonly internalErrors: unknown[];
  /** Runs before each request is answered, for changes in the midst of a read. */
  beforeEach(act: Act): void;
  /** Answers requests in place of the shop, where it returns a reply. */
  answerWith(instead: (call: Call) => Reply | null): void;
  /** Changes what is answered to each request from now on, as a plugin does. */
  alter(change: Change): void;
  /** Pages get shorter by these products, and the totals still count them. */
  hideFromKeys(posts: readonly Pick<Post, 'id'>[]): void;
  /** The next request (or `count`) is answered with this status. `operation` is a method, or one with a first part: `GET products`. */
  failNext(status: number, scope?: FaultScope): void;
  /** The next request's connection is cut: before it is carried out, or after it. Default before. */
  resetNext(scope?: FaultScope & { readonly when?: 'before' | 'after' }): void;
}

export async function startTestShop(options: TestShopOptions = {}): Promise<TestShop> {
  const faults = new Faults();
  const requests: RequestEntry[] = [];
  const internalErrors: unknown[] = [];
  let before: Act = () => undefined;
  let instead: (call: Call) => Reply | null = () => null;
  let change: Change = (reply) => reply;
  const hidden = new Set<number>();
  const shop = await startWooCommerceSandbox({
    ...options,
    onError: (error) => void internalErrors.push(error),
    around: async (call, proceed) => {
      await before(call);
      const answered = instead(call) ?? (await replyUnder(faultOf(faults, call), proceed));
      const reply = answered === null ? null : withoutHidden(hidden, change(answered, call));
      const { method, path, body, parameters } = call;
      const query = Object.fromEntries(parameters);
      requests.push({ method, path, body, query, status: reply?.status ?? null });
      return reply;
    },
  });
  return {
    ...shop,
    products: new ShopMerchant(shop.shop),
    requests,
    internalErrors,
    beforeEach: (act) => {
      before = act;
    },
    answerWith: (next) => {
      instead = next;
    },
    alter: (next) => {
      change = next;
    },
    hideFromKeys: (posts) => posts.forEach(({ id }) => hidden.add(id)),
    failNext: (status, scope = {}) => faults.arm({ kind: 'status', status, retryAfterSeconds: null }, scope),
    resetNext: ({ when = 'before', ...scope } = {}) => faults.arm({ kind: 'reset', when }, scope),
  };
}

function withoutHidden(hidden: ReadonlySet<number>, reply: Reply): Reply {
  if (!Array.isArray(reply.body)) return reply;
  const shown = (reply.body as { readonly id?: number }[]).filter(({ id = 0 }) => !hidden.has(id));
  return { ...reply, body: shown };
}

function faultOf(faults: Faults, { method, path }: Call): Fault | null {
  const [part = ''] = path.replace(/^wc\/v3\//, '').split('/');
  return faults.next([method, `${method} ${part}`]);
}

async function replyUnder(fault: Fault | null, proceed: () => Promise<Reply>): Promise<Reply | null> {
  switch (fault?.kind) {
    case 'reset':
      if (fault.when === 'after') await proceed();
      return null;
    case 'status':
      return refusal(fault.status);
    default:
      return proceed();
  }
}

/** What a host, a firewall or a web server before the shop answers is HTML. */
function refusal(status: number): Reply {
  const text = String(status);
  return { status, body: `<html><head><title>${text}</title></head><body>${text}</body></html>` };
}
