import type * as Api from '@opentelemetry/api';
import { isCoded } from '../../domain/errors.js';

/** Attributes are ids, keys, counts, states and codes. They are never texts of a service, a store or a person. */
export type SpanFacts = Readonly<Record<string, string | number | boolean | undefined>>;

/** The span of the current work, to add facts while it runs. */
export interface OpenSpan {
  note(facts: SpanFacts): void;
}

const NAME = 'store-sync';

/**
 * Runs the work in a span, or without one when no traces are sent. An error is rethrown unchanged, and the span gets
 * its code.
 */
export async function traced<T>(
  name: string,
  facts: SpanFacts,
  work: (span: OpenSpan) => Promise<T>,
  kind: 'internal' | 'server' | 'consumer' = 'internal',
): Promise<T> {
  if (!api) return work(NO_SPAN);
  const { trace, SpanKind, SpanStatusCode } = api;
  const kinds = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, consumer: SpanKind.CONSUMER };
  const options = { attributes: attributesOf(facts), kind: kinds[kind] };
  return trace.getTracer(NAME).startActiveSpan(name, options, async (span) => {
    try {
      return await work({ note: (more) => void span.setAttributes(attributesOf(more)) });
    } catch (error) {
      fail(span, SpanStatusCode.ERROR, isCoded(error) ? error.code : 'unforeseen');
      throw error;
    } finally {
      span.end();
    }
  });
}

/**
 * Records a request that has just ended as a child of the current span. `failure`: the error's code; null for a
 * success.
 */
export function tracedRequest(
  name: string,
  facts: SpanFacts,
  ended: { readonly at: Date; readonly durationMs: number; readonly failure: string | null },
): void {
  if (!api) return;
  const startTime = new Date(ended.at.getTime() - ended.durationMs);
  const options = { attributes: attributesOf(facts), kind: api.SpanKind.CLIENT, startTime };
  const span = api.trace.getTracer(NAME).startSpan(name, options);
  if (ended.failure !== null) fail(span, api.SpanStatusCode.ERROR, ended.failure);
  span.end(ended.at);
}

const NO_SPAN: OpenSpan = { note: () => undefined };

/** The library, of which there is one per process, while spans are sent. */
let api: typeof Api | null = null;

/**
 * Begins to send spans, or ends it by null. While none is sent, the library is not even loaded, and no span is made: its no-op spans
 * allocate a context with closures too.
 */
export function sendSpans(by: typeof Api | null): void {
  api = by;
}

function fail(span: Api.Span, code: Api.SpanStatusCode.ERROR, message: string): void {
  span.setStatus({ code, message });
  span.setAttribute('error.type', message);
}

function attributesOf(facts: SpanFacts): Api.Attributes {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
