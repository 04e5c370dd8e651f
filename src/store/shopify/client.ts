import { AsyncLocalStorage } from 'node:async_hooks';
import type Shopify from 'shopify-api-node';
import type { z } from 'zod';
import { CodedError } from '../../domain/errors.js';
import type { StoreWriteOptions } from '../../domain/store-port.js';
import { parseBoundedJson } from '../../runtime/untrusted-json.js';
import type { Envelope, QueryCost, SearchNote } from './answer.js';
import type { TokenSource } from './auth.js';
import { type Admission, CostThrottle } from './cost-throttle.js';
import type { StoreDocument } from './document.js';
import { pathBelow } from './endpoint.js';
import { type Exchange, header, readExchange, whereOf } from './exchange.js';
import { type Fault, oddAnswerFault } from './faults.js';
import type { RequestReport } from '../connector-parts.js';
import { behindMs, timeOfAnswer } from '../shop-clock.js';
import type { ShopifyLimits, Sleep } from './options.js';
import { RepeatPolicy, withOutcomeUnknown } from './repeat-policy.js';
import { Transport } from './transport.js';

export interface ClientSettings {
  readonly shop: string;
  readonly base: URL;
  readonly apiVersion: string;
  readonly tokens: TokenSource;
  readonly limits: ShopifyLimits;
  readonly now: () => number;
  readonly sleep: Sleep;
  readonly random: () => number;
  readonly onBudget?: ((available: number) => void) | undefined;
  readonly onRequest?: ((request: RequestReport) => void) | undefined;
}

export interface Answer<T> {
  readonly data: T;
  /** The store's notes about the searches of the call. */
  readonly search: readonly SearchNote[];
  /** The cost that the store calculated in advance; null when it did not report one. */
  readonly requestedCost: number | null;
  /** The API version of the response. The store silently serves a newer one when the configured version is retired. */
  readonly servedVersion: string | null;
}

type Variables = Readonly<Record<string, unknown>>;

/**
 * Calls the Admin GraphQL API within the store's limits by `shopify-api-node`. Its retries are off, because it repeats mutations after
 * timeouts. One hook sends the request within the bounds of all outgoing requests, and one reads the parts of a response that the library
 * omits.
 */
export class ShopifyClient {
  private readonly transport: Transport;
  private readonly exchange = new AsyncLocalStorage<Exchange>();
  private readonly throttle: CostThrottle;
  /** The requested cost of a document, by the sizes of its variables. */
  private readonly costs = new Map<string, number>();
  #behindMs = 0;
  #library: Shopify | null = null;

  constructor(private readonly settings: ClientSettings) {
    const { base } = settings;
    this.throttle = new CostThrottle(settings.now, settings.sleep);
    const path = pathBelow(base, `/admin/api/${settings.apiVersion}/graphql.json`);
    this.transport = new Transport(new URL(path, base), settings.limits.requestTimeoutMs);
  }

  /** How far the store's clock is behind ours, by its last answer. */
  get behindMs(): number {
    return this.#behindMs;
  }

  close(): void {
    this.transport.close();
  }

  /**
   * Sends a document and returns its complete data; partial data is an error. Waits for the rate limit, and waits out
   * THROTTLED and 429 up to `limits.throttleWaitMs` in all. Renews the token once after a 401, and repeats failed
   * requests if the document is repeatable. Throws with `outcomeUnknown` when a mutation may have been carried out.
   */
  async run<T>(
    document: StoreDocument,
    variables: Variables,
    schema: z.ZodType<T>,
    options: StoreWriteOptions = {},
  ): Promise<Answer<T>> {
    try {
      return await this.runRepeated(document, variables, schema, options);
    } catch (error) {
      throw error instanceof CodedError ? error.raisedBy('store') : error;
    }
  }

  private async runRepeated<T>(
    document: StoreDocument,
    variables: Variables,
    schema: z.ZodType<T>,
    options: StoreWriteOptions,
  ): Promise<Answer<T>> {
    const { limits, sleep, random, tokens, now } = this.settings;
    const policy = new RepeatPolicy(limits, random, now);
    for (let attempt = 1; ; attempt++) {
      const result = await this.attempt(document, variables, schema, attempt, options);
      if ('answer' in result) return result.answer;
      const step = policy.next(result.fault, document.repeatable, () => tokens.refused(result.token));
      if (step.kind === 'throw') throw step.error;
      if (step.kind === 'renew-token') continue;
      if (step.pauseAll) this.throttle.pause(step.ms);
      await sleep(step.ms);
    }
  }

  private async attempt<T>(
    document: StoreDocument,
    variables: Variables,
    schema: z.ZodType<T>,
    attempt: number,
    { beforeSend }: StoreWriteOptions,
  ): Promise<{ answer: Answer<T> } | { fault: Fault; token: string }> {
    const key = costKey(document, variables);
    const admission = await this.throttle.admit(this.costs.get(key) ?? document.expectedCost);
    const startedAt = this.settings.now();
    let exchange: Exchange = { token: '', status: null, headers: {}, body: undefined, cut: false };
    let cost: QueryCost | undefined;
    let fault: Fault | undefined;
    let step: 'token' | 'fence' | 'sent' = 'token';
    try {
      const library = (this.#library ??= await this.openLibrary());
      exchange = { ...exchange, token: await this.settings.tokens.token() };
      step = 'fence';
      await beforeSend?.();
      step = 'sent';
      const thrown = await this.send(library, document, variables, exchange);
      this.#behindMs = behindMs(timeOfAnswer(header(exchange, 'date')), this.settings.now());
      // Another call may have made the source forget the token meanwhile.
      const secrets = [...this.settings.tokens.secrets(), exchange.token];
      const context = { operation: document.name, now: startedAt, secrets };
      const read = readExchange(exchange, thrown, context);
      cost = 'fault' in read ? read.cost : read.envelope.extensions?.cost;
      if ('fault' in read) fault = read.fault;
      else {
        const parsed = schema.safeParse(read.envelope.data);
        if (parsed.success) {
          return { answer: answerOf(parsed.data, read.envelope, exchange) };
        }
        const [issue] = parsed.error.issues;
        const what = `unexpected data at ${issue?.path.join('.') ?? 'its root'}`;
        fault = oddAnswerFault(document.name, what, whereOf(exchange), parsed.error);
      }
    } catch (error) {
      // The caller's fence decides for the whole call. Else only the token source throws a coded error here, before the call was sent.
      if (step === 'fence' || !(error instanceof CodedError)) throw error;
      fault = {
        error,
        repeat: error.code === 'transient' || error.code === 'throttled' ? 'always' : 'never',
      };
    } finally {
      this.settle(key, admission, cost);
      if (step === 'sent' || fault !== undefined) this.report(document, exchange, attempt, startedAt, fault);
    }
    return { fault: withFate(fault, document), token: exchange.token };
  }

  /** Loaded by the first call: most commands call no shop, and the library has two hundred modules. */
  private async openLibrary(): Promise<Shopify> {
    const { default: Library } = await import('shopify-api-node');
    return new Library({
      shopName: this.settings.shop,
      // Never sent: the transport inserts the current token.
      accessToken: 'set-for-each-request',
      apiVersion: this.settings.apiVersion,
      maxRetries: 0,
      hooks: {
        beforeRequest: [
          (request) => {
            request.parseJson = parseBoundedJson;
            return this.transport.answer(request, this.exchange.getStore());
          },
        ],
        afterResponse: [
          (response) => {
            const exchange = this.exchange.getStore();
            if (exchange !== undefined) {
              exchange.status = response.statusCode;
              exchange.headers = response.headers;
              exchange.body = response.body;
            }
            return response;
          },
        ],
      },
    });
  }

  /** Returns the error that the library threw, if any. The exchange has the real response. */
  private async send(
    library: Shopify,
    document: StoreDocument,
    variables: Variables,
    exchange: Exchange,
  ): Promise<unknown> {
    try {
      await this.exchange.run(exchange, () => library.graphql(document.text, variables));
      return undefined;
    } catch (error) {
      return error;
    }
  }

  private settle(key: string, admission: Admission, cost: QueryCost | undefined): void {
    this.throttle.settle(admission, cost?.throttleStatus ?? null, cost?.actualQueryCost ?? null);
    if (cost === undefined) return;
    this.costs.set(key, cost.requestedQueryCost);
    this.settings.onBudget?.(cost.throttleStatus.currentlyAvailable);
  }

  private report(
    document: StoreDocument,
    exchange: Exchange,
    attempt: number,
    startedAt: number,
    fault: Fault | undefined,
  ): void {
    this.settings.onRequest?.({
      operation: document.name,
      attempt,
      durationMs: this.settings.now() - startedAt,
      status: exchange.status,
      requestId: header(exchange, 'x-request-id') ?? null,
      outcome: fault?.error.code ?? 'ok',
    });
  }
}

/** Marks a mutation that may have been carried out. */
function withFate(fault: Fault, document: StoreDocument): Fault {
  const open = document.mutation && fault.repeat === 'if-repeatable';
  return open ? { ...fault, error: withOutcomeUnknown(fault.error) } : fault;
}

/** The cost of a document depends on the sizes of its variables: page lengths and numbers of ids. */
function costKey(document: StoreDocument, variables: Variables): string {
  const sizes = Object.values(variables).map((value) =>
    Array.isArray(value) ? value.length : typeof value === 'number' ? value : '',
  );
  return `${document.name} ${sizes.join(' ')}`;
}

function answerOf<T>(data: T, envelope: Envelope, exchange: Exchange): Answer<T> {
  return {
    data,
    search: envelope.extensions?.search ?? [],
    requestedCost: envelope.extensions?.cost?.requestedQueryCost ?? null,
    servedVersion: header(exchange, 'x-shopify-api-version') ?? null,
  };
}
