import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
  ParentBasedSampler,
} from '@opentelemetry/sdk-trace';
import { z } from 'zod';
import { jsonOrNull } from '../../domain/text.js';
import type { Logger } from '../../runtime/logger.js';
import { timedOut, within } from '../../runtime/time-limit.js';
import { sendSpans } from './tracing.js';

const { context, diag, DiagLogLevel, trace } = api;

export interface RunningTracing {
  /** Sends the remaining spans for at most three seconds. No span is recorded afterwards. */
  stop(): Promise<void>;
}

const STOP_WITHIN_MS = 3_000;
/** The library reads 4 MB of an answer at most. A collector that never ends its answers keeps so many connections, and no more. */
const EXPORTS_AT_ONCE = 2;

/**
 * Starts sending spans by OTLP (http/protobuf). `ratio` is the share of traces to send. The exporter reads its
 * address and headers, and the resource its name, from OpenTelemetry's own variables. Spans that cannot be sent are
 * dropped and logged, so that no work waits for them.
 */
export function startTracing(ratio: number, log: Logger): RunningTracing {
  diag.setLogger(
    {
      ...SILENT,
      error: (text) => {
        log.warn({}, `traces: ${withoutAnswer(text)}`);
      },
      warn: (text) => {
        log.warn({}, `traces: ${text}`);
      },
    },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const resource = resourceFromAttributes({ 'service.name': 'store-sync' }).merge(
    detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }),
  );
  const provider = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ concurrencyLimit: EXPORTS_AT_ONCE }) }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  sendSpans(api);
  return {
    stop: async () => {
      await endsInTime(provider.shutdown(), log);
      sendSpans(null);
      trace.disable();
      context.disable();
      diag.disable();
    },
  };
}

const exportError = z.object({ name: z.literal('OTLPExporterError'), code: z.string() });

/** The library describes a refusal by JSON with the collector's answer, which may repeat the headers of the request, and so a key. */
function withoutAnswer(text: string): string {
  const refusal = exportError.safeParse(jsonOrNull(text)).data;
  return refusal === undefined ? text : `the collector answered ${refusal.code}`;
}

const nothing = (): void => undefined;
const SILENT = { error: nothing, warn: nothing, info: nothing, debug: nothing, verbose: nothing };

async function endsInTime(work: Promise<void>, log: Logger): Promise<void> {
  try {
    await within(STOP_WITHIN_MS, work, timedOut('the exporter did not stop in time'));
  } catch {
    // The exporter's own error quotes the request, so only the failure is logged.
    log.warn({}, 'traces: the last spans could not be sent');
  }
}
