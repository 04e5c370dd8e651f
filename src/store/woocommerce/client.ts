import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { BACKOFF } from '../../domain/backoff.js';
import { CodedError } from '../../domain/errors.js';
import { parseRetryAfterMs } from '../../domain/retry-after.js';
import { withoutSecrets, withoutTrailing } from '../../domain/text.js';
import type { StoreWriteOptions } from '../../domain/store-port.js';
import {
  isNeverSent,
  type OutgoingAnswer,
  OutgoingError,
  sendOutgoing,
} from '../../runtime/outgoing-http.js';
import { readUntrustedJson } from '../../runtime/untrusted-json.js';
import type { RequestReport } from '../connector-parts.js';
import { timeOfAnswer } from '../shop-clock.js';
import { type ApiKey, basicAuthorization, oauthParameters } from './oauth.js';

export interface ClientSettings {
  /** The address of the shop, without a slash at its end. */
  readonly url: string;
  readonly key: ApiKey;
  readonly onRequest?: ((request: RequestReport) => void) | undefined;
  readonly timeoutMs?: number;
  readonly attempts?: number;
  /** How long a read of all products waits for a shop that answers nothing. */
  readonly awayMostMs?: number;
}

export interface Call {
  readonly method?: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below `wp-json/`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** True for a write that changes nothing when it is carried out twice. */
  readonly mayRepeat?: boolean;
  /** False for the index, which needs no key. */
  readonly withKey?: boolean;
}

export interface Answer<T> {
  readonly data: T;
  /** The number of entries of the whole list, and of its pages; null where the answer names none. */
  readonly total: number | null;
  /** The shop's own time when it answered; null where the answer names none. */
  readonly at: Date | null;
}

/** The shop's own code of a refusal. Its message is in the language of the site. */
export class WooError extends CodedError {
  constructor(
    readonly shopCode: string,
    ...parts: ConstructorParameters<typeof CodedError>
  ) {
    super(...parts);
  }
}

const errorSchema = z.object({
  code: z.string(),
  message: z.string().catch(''),
  data: z
    .looseObject({ params: z.record(z.string(), z.string()).optional().catch(undefined) })
    .nullish()
    .catch(null),
});

const REQUEST_MS = 60_000;
const ATTEMPTS = 4;
/** A shop that asks for more is tried again by the caller, which keeps a row and holds no worker meanwhile. */
const LONGEST_WAIT_MS = 60_000;
const NO_SUCH_PRODUCT: ReadonlySet<string> = new Set([
  'woocommerce_rest_product_invalid_id',
  'woocommerce_rest_already_trashed',
]);

/**
 * Calls the REST API of a shop. An answer is told by its code and its status alone. A body that is no JSON is an outage: a firewall, a
 * host or PHP answered in place of the shop. Only reads are repeated; a write without an answer may have been carried out.
 */
export class WooClient {
  readonly #agents = {
    httpAgent: new HttpAgent({ keepAlive: true, maxSockets: 8 }),
    httpsAgent: new HttpsAgent({ keepAlive: true, maxSockets: 8 }),
  };
  #ownUrl: Promise<string> | undefined;

  constructor(private readonly settings: ClientSettings) {}

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async run<T>(call: Call, schema: z.ZodType<T>, options: StoreWriteOptions = {}): Promise<Answer<T>> {
    const canRepeat = call.mayRepeat ?? (call.method ?? 'GET') === 'GET';
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(call, schema, attempt, options);
      } catch (error) {
        if (!(error instanceof CodedError)) throw error;
        error.raisedBy('store');
        const mayRepeat =
          (error.code === 'transient' || error.code === 'throttled') &&
          (error.retryAfterMs ?? 0) <= LONGEST_WAIT_MS;
        if (!canRepeat || !mayRepeat || attempt >= (this.settings.attempts ?? ATTEMPTS)) throw error;
        await delay(BACKOFF.storeCall.delayMs(attempt, Math.random, error.retryAfterMs));
      }
    }
  }

  async #attempt<T>(
    call: Call,
    schema: z.ZodType<T>,
    attempt: number,
    { beforeSend }: StoreWriteOptions,
  ): Promise<Answer<T>> {
    const method = call.method ?? 'GET';
    const { url, headers } = await this.#addressed(call, method);
    await beforeSend?.();
    const startedAt = Date.now();
    let status: number | null = null;
    let outcome = 'ok';
    try {
      const answer = await sendOutgoing({
        method,
        url,
        headers: {
          accept: 'application/json',
          ...headers,
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: call.body === undefined ? undefined : JSON.stringify(call.body),
        timeoutMs: this.settings.timeoutMs ?? REQUEST_MS,
        agents: this.#agents,
      });
      ({ status } = answer);
      return readAnswer(answer, schema, method, secretsOf(this.settings.key));
    } catch (error) {
      const coded = error instanceof OutgoingError ? unanswered(error, method) : error;
      outcome = coded instanceof CodedError ? coded.code : 'fault';
      throw coded;
    } finally {
      const operation = `${method} ${call.path.replaceAll(/(?<=\/)\d+/g, '#')}`;
      const durationMs = Date.now() - startedAt;
      this.settings.onRequest?.({ operation, attempt, durationMs, status, requestId: null, outcome });
    }
  }

  async #addressed(
    { path, query = {}, withKey = true }: Call,
    method: string,
  ): Promise<{ readonly url: URL; readonly headers: Record<string, string> }> {
    const url = new URL(`${this.settings.url}/wp-json/${path}`);
    const search = new URLSearchParams(query);
    const isPlain = url.protocol === 'http:';
    if (withKey && isPlain) {
      const own = `${await this.#own()}/wp-json/${path}`;
      for (const [name, value] of Object.entries(oauthParameters(this.settings.key, method, own, search)))
        search.append(name, value);
    }
    url.search = search.toString().replaceAll('+', '%20');
    return {
      url,
      headers: withKey && !isPlain ? { authorization: basicAuthorization(this.settings.key) } : {},
    };
  }

  /** The address that the shop says is its own, by which it checks signatures. */
  #own(): Promise<string> {
    this.#ownUrl ??= this.index().then(({ home }) => withoutTrailing(home, '/'));
    this.#ownUrl.catch(() => (this.#ownUrl = undefined));
    return this.#ownUrl;
  }

  /** What the shop says about itself to everybody. */
  async index(): Promise<ShopIndex> {
    const call: Call = { path: '', query: { _fields: 'name,home' }, withKey: false };
    return (await this.run(call, indexSchema)).data;
  }
}

const indexSchema = z.object({
  name: z.string().catch(''),
  home: z.string(),
});
export type ShopIndex = z.output<typeof indexSchema>;

/** What a shop may repeat of a request. */
function secretsOf(key: ApiKey): string[] {
  const basic = basicAuthorization(key).replace('Basic ', '');
  return [basic, key.consumerSecret, key.consumerKey].filter((secret) => secret !== '');
}

function readAnswer<T>(
  answer: OutgoingAnswer,
  schema: z.ZodType<T>,
  method: string,
  secrets: readonly string[],
): Answer<T> {
  const { status, headers, body, cut } = answer;
  const isWrite = method !== 'GET';
  const read = cut ? ({ ok: false } as const) : readUntrustedJson(body);
  if (status >= 300 && status < 400)
    throw new CodedError(
      'misconfigured',
      `the shop answers with a redirect (${String(status)}): set url to its own address, and its permalinks to anything but “Plain”`,
      { status },
    );
  if (!read.ok) {
    const retryAfterMs = parseRetryAfterMs(headers['retry-after'], new Date());
    throw new CodedError(
      status === 429 ? 'throttled' : 'transient',
      `the shop did not answer with JSON (status ${String(status)}): a firewall, its host or PHP answered in its place`,
      {
        status,
        retryAfterMs,
        outcomeUnknown: isWrite && status !== 429,
      },
    );
  }
  if (status < 200 || status >= 300) throw refusalOf(status, read.value, headers, isWrite, secrets);
  const parsed = schema.safeParse(read.value);
  if (parsed.success) {
    const total = Number(headers['x-wp-total'] ?? Number.NaN);
    return {
      data: parsed.data,
      total: Number.isInteger(total) ? total : null,
      at: timeOfAnswer(headers['date']),
    };
  }
  const place = parsed.error.issues[0]?.path.map(String).join('.') ?? '';
  const what = `the shop answered with unexpected data at ${place === '' ? 'its root' : place}`;
  throw new CodedError('transient', what, { cause: parsed.error, outcomeUnknown: isWrite });
}

function refusalOf(
  status: number,
  value: unknown,
  headers: OutgoingAnswer['headers'],
  isWrite: boolean,
  secrets: readonly string[],
): CodedError {
  const told = (text: string): string => withoutSecrets(text, secrets).slice(0, 300);
  const parsed = errorSchema.safeParse(value);
  const { code, message, data } = parsed.success ? parsed.data : { code: '', message: '', data: null };
  const said = `${told(message)} (${code === '' ? `status ${String(status)}` : told(code)})`.trim();
  if (status === 401 || status === 403)
    return new WooError(code, 'auth', `the shop refuses the key or what it may do: ${said}`, { status });
  if (NO_SUCH_PRODUCT.has(code))
    return new WooError(code, 'not_found', 'the shop has no such product', { status });
  // Without its own code for a missing product the shop says nothing about the product: its plugin may be switched off.
  if (status === 404)
    return new WooError(
      code,
      'unavailable',
      `the shop has no such route: ${said}; check that WooCommerce is active and that url is right`,
      { status },
    );
  const retryAfterMs = parseRetryAfterMs(headers['retry-after'], new Date());
  if (status === 429)
    return new WooError(code, 'throttled', `the shop asks to wait: ${said}`, { status, retryAfterMs });
  if (status >= 500) {
    const details = { status, retryAfterMs, outcomeUnknown: isWrite };
    return new WooError(code, 'transient', `the shop failed: ${said}`, details);
  }
  const params = Object.entries(data?.params ?? {}).map(([name, text]) => [name, [told(text)]] as const);
  const fields = params.length === 0 ? {} : { fields: Object.fromEntries(params) };
  return new WooError(code, 'invalid', `the shop refuses it: ${said}`, { status, ...fields });
}

function unanswered({ message, code }: OutgoingError, method: string): CodedError {
  const what = `the shop did not answer: ${message}${code === undefined ? '' : ` (${code})`}`;
  return new CodedError('transient', what, { outcomeUnknown: method !== 'GET' && !isNeverSent(code) });
}
