import { SpanKind, SpanStatusCode, trace, type Attributes, type Span } from '@opentelemetry/api';
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
  if (!sent) return work(NO_SPAN);
  const options = { attributes: attributesOf(facts), kind: KINDS[kind] };
  return trace.getTracer(NAME).startActiveSpan(name, options, async (span) => {
    try {
      return await work({ note: (more) => void span.setAttributes(attributesOf(more)) });
    } catch (error) {
      fail(span, isCoded(error) ? error.code : 'unforeseen');
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
  if (!sent) return;
  const startTime = new Date(ended.at.getTime() - ended.durationMs);
  const options = { attributes: attributesOf(facts), kind: SpanKind.CLIENT, startTime };
  const span = trace.getTracer(NAME).startSpan(name, options);
  if (ended.failure !== null) fail(span, ended.failure);
  span.end(ended.at);
}

const NO_SPAN: OpenSpan = { note: () => undefined };

/** One flag per process, like the API itself. */
let sent = false;

/**
 * Sets whether spans are sent. While they are not, none is created, because even the API's no-op spans allocate a
 * context with closures.
 */
export function sendSpans(yes: boolean): void {
  sent = yes;
}

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, consumer: SpanKind.CONSUMER };

function fail(span: Span, code: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: code });
  span.setAttribute('error.type', code);
}

function attributesOf(facts: SpanFacts): Attributes {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
