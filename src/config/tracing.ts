import type { Environment } from './environment.js';

export interface TracingSettings {
  /** The share of traces to export, 0 to 1. */
  readonly ratio: number;
  /** Settings that work but are probably not intended; one line each. */
  readonly warnings: readonly string[];
}

/**
 * The tracing settings from OpenTelemetry's own environment variables; null when tracing is off. The exporter reads
 * its address, headers, timeout and certificates from those variables itself.
 */
export function tracingSettings(env: Environment): TracingSettings | null {
  const value = (name: string): string => env[name]?.trim() ?? '';
  if (value('OTEL_SDK_DISABLED').toLowerCase() === 'true') return null;
  const exporters = value('OTEL_TRACES_EXPORTER')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (exporters.length > 0 && !exporters.includes('otlp')) return null;
  const endpoint =
    value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') === ''
      ? value('OTEL_EXPORTER_OTLP_ENDPOINT')
      : value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  if (endpoint === '') return null;
  const protocol = value('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || value('OTEL_EXPORTER_OTLP_PROTOCOL');
  const spoken = protocol === '' || protocol === 'http/protobuf';
  return {
    ratio: ratioOf(value('OTEL_TRACES_SAMPLER'), value('OTEL_TRACES_SAMPLER_ARG')),
    warnings: spoken ? [] : ['traces are sent by http/protobuf, whatever OTEL_EXPORTER_OTLP_PROTOCOL says'],
  };
}

/** Traces start here, so a parent-based sampler behaves like its root sampler. */
function ratioOf(sampler: string, argument: string): number {
  if (sampler.endsWith('always_off')) return 0;
  const ratio = Number(argument);
  const isShare = argument !== '' && ratio >= 0 && ratio <= 1;
  return sampler.endsWith('traceidratio') && isShare ? ratio : 1;
}
