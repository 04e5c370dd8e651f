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

/** OpenTelemetry’s library while spans are sent; null while none is. */
let api: typeof Api | null = null;

/**
 * From now on spans are sent by this library; null sends none. Until then nobody loads the library, and no span is made: even those that
 * are not sent take memory.
 */
export function sendSpans(by: typeof Api | null): void {
  api = by;
}

/** `error` is the library’s number for a failure, and `code` the code of the error. */
function fail(span: Api.Span, error: Api.SpanStatusCode.ERROR, code: string): void {
  span.setStatus({ code: error, message: code });
  span.setAttribute('error.type', code);
}

function attributesOf(facts: SpanFacts): Api.Attributes {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
