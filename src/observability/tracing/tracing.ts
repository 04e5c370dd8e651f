import { SpanKind, SpanStatusCode, trace, type Attributes, type Span } from '@opentelemetry/api';
import { isCoded } from '../../domain/errors.js';

/** Attributes are ids, keys, counts, states and codes. Never a text that a service, a store or a person wrote. */
export type SpanFacts = Readonly<Record<string, string | number | boolean | undefined>>;

/** The span of the work under way: what comes to be known of it while it goes on. */
export interface OpenSpan {
  note(facts: SpanFacts): void;
}

const NAME = 'store-sync';

/** Does the work within a span, or alone where no traces are sent. An error goes on as it came; of it the span keeps the code. */
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

/** A request that has just ended, as a span of its own below the one under way. `failure`: the error's code; null when it served. */
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

/** As the interface itself: one for the process. */
let sent = false;

/** Whether spans go anywhere. While they do not, none is begun: the interface's stand-in makes a context with closures for each. */
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
