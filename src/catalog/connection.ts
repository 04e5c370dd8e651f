import { setTimeout as delay } from 'node:timers/promises';
import { CodedError } from '../domain/errors.js';
import { AnswerErrors } from './answer-errors.js';
import { resolveAssumptions, type Assumptions } from './assumptions.js';
import { TokenProvider, type TokenCalls } from './auth.js';
import { endpointUrl, nextPageUrl, parseBaseUrl, type Query } from './base-url.js';
import { DEFAULT_LIMITS, type CatalogClientOptions } from './client-options.js';
import { Http } from './http.js';
import { itemsOf, walkPages, type Page } from './pages.js';
import { OwnRate } from './own-rate.js';
import { RateLimiter } from './rate-limiter.js';
import { readAnyJson } from './readers.js';
import { Redactor } from './redaction.js';
import { Requester, REQUESTS_AT_ONCE, type Call } from './requester.js';

/** The options of a call; the rest follows from the method. */
export interface Ask<T> extends Pick<
  Call<T>,
  'operation' | 'group' | 'method' | 'path' | 'url' | 'read' | 'beforeSend'
> {
  /** The body, sent as JSON. */
  readonly body?: unknown;
  readonly payload?: Call<T>['payload'];
  readonly contentType?: string;
  readonly repeat?: Call<T>['repeat'];
  readonly confidential?: boolean;
  readonly bearer?: Call<T>['bearer'];
  readonly timeoutMs?: number;
}

/** The resources of one client for one workspace: addresses, tokens, rate limit, connections and secrets. */
export class Connection {
  readonly assumptions: Assumptions;
  readonly tokens: TokenProvider;
  readonly redactor = new Redactor();
  private readonly base: URL;
  private readonly requester: Requester;
  private readonly http: Http;
  private readonly closing = new AbortController();

  /** Throws `misconfigured` for a base URL that is neither https nor loopback, or missing credentials. */
  constructor(private readonly options: CatalogClientOptions) {
    const clock = options.clock ?? (() => new Date());
    const sleep = options.sleep ?? (async (ms, signal) => delay(ms, undefined, { signal }));
    const closed = this.closing.signal;
    this.base = parseBaseUrl(options.baseUrl);
    this.assumptions = resolveAssumptions(options.assumptions);
    this.redactor.addFixed(options.auth.apiToken, options.auth.password);
    this.tokens = new TokenProvider(options.auth, this.tokenCalls(), clock, this.redactor);
    const errors = new AnswerErrors(this.redactor);
    const maxResponseBytes = options.maxResponseBytes ?? DEFAULT_LIMITS.maxResponseBytes;
    this.http = new Http({ maxResponseBytes, maxSockets: 2 * REQUESTS_AT_ONCE, closed }, errors);
    const rate = options.rate ?? new OwnRate(options.requestsPerSecond, clock);
    const limiter = new RateLimiter(rate, clock, sleep);
    this.requester = new Requester(this.http, limiter, errors, this.tokens, {
      clock,
      sleep,
      closed,
      random: options.random ?? Math.random,
      maxThrottleWaitMs: options.maxThrottleWaitMs ?? DEFAULT_LIMITS.maxThrottleWaitMs,
      retryDelayScale: options.retryDelayScale ?? DEFAULT_LIMITS.retryDelayScale,
      onRequest: options.onRequest,
    });
  }

  close(): void {
    this.closing.abort(new Error('catalog client was closed'));
    this.http.close();
  }

  get isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  async ask<T>({ body, ...call }: Ask<T>): Promise<T> {
    const reads = call.method === 'GET' && call.repeat !== 'once';
    const json =
      body === undefined
        ? {}
        : { payload: Buffer.from(JSON.stringify(body)), contentType: 'application/json' };
    const sent = this.requester.send({
      bearer: 'own',
      repeat: reads ? 'read' : 'repeatable',
      mutates: !reads && call.group !== 'tokens',
      timeoutMs: this.options.requestTimeoutMs ?? DEFAULT_LIMITS.requestTimeoutMs,
      ...json,
      ...call,
    });
    return await sent.catch((error: unknown) => {
      throw error instanceof CodedError ? error.raisedBy('catalog') : error;
    });
  }

  /** `{base_url}` + path with filled `{placeholders}`. */
  url(path: string, ids: Readonly<Record<string, string>> = {}, query: Query = []): URL {
    return endpointUrl(this.base, path, ids, query);
  }

  /** The URL of a page's `next`, on the base URL's origin. Throws `misconfigured` otherwise. */
  nextUrl(next: string, current: URL): URL {
    return nextPageUrl(this.base, next, current);
  }

  walk<T>(firstUrl: URL, fetch: (url: URL) => Promise<Page<T>>): AsyncGenerator<T, undefined> {
    return itemsOf(this.pages(firstUrl, fetch));
  }

  pages<T>(
    firstUrl: URL,
    fetch: (url: URL) => Promise<Page<T>>,
    first?: Page<T>,
  ): AsyncGenerator<Page<T>, undefined> {
    const resolve = (next: string, current: URL) => this.nextUrl(next, current);
    return walkPages({ firstUrl, fetch, resolve }, first);
  }

  /** The locale to send: the call's own, or the client's. */
  localeQuery(locale: string | null | undefined): Query {
    const value = locale === undefined ? this.options.locale : locale;
    return value === undefined || value === null ? [] : [['locale', value]];
  }

  /** PUT and PATCH are not documented to accept a locale. It is sent when a call names one. */
  updateQuery(locale: string | null | undefined): Query {
    return locale === undefined ? [] : this.localeQuery(locale);
  }

  private tokenCalls(): TokenCalls {
    const call = (operation: string, path: string) =>
      ({
        operation,
        group: 'tokens',
        method: 'POST',
        path,
        url: this.url(path),
        repeat: 'once',
        confidential: true,
        read: readAnyJson(),
      }) as const;
    return {
      login: async (email, password) =>
        this.ask({ ...call('login', '/login/'), body: { email, password }, bearer: 'none' }),
      refresh: async (refresh, token) =>
        this.ask({
          ...call('refresh', '/refresh/'),
          body: { refresh },
          bearer: { token },
        }),
    };
  }
}
