import { describe, expect, it } from '@jest/globals';
import { tracingSettings } from './tracing.js';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('tracing', () => {
  it.each([
    ['an endpoint', ENDPOINT],
    ['one for traces alone', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }],
    ['otlp among the exporters', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'console, otlp' }],
    ['the SDK enabled in so many words', { ...ENDPOINT, OTEL_SDK_DISABLED: 'false' }],
  ])('is on with %s', (_what, env) => {
    expect(tracingSettings(env)).toEqual({ ratio: 1, warnings: [] });
  });

  it.each([
    ['nothing set', {}],
    ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
    ['the SDK disabled', { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }],
    ['no exporter', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
    ['an exporter that is not ours', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'zipkin' }],
    ['a name alone', { OTEL_SERVICE_NAME: 'sync' }],
  ])('is off with %s', (_what, env) => {
    expect(tracingSettings(env)).toBeNull();
  });

  it.each([
    ['always_on', '0.5', 1],
    ['always_off', '', 0],
    ['traceidratio', '0.25', 0.25],
    ['parentbased_traceidratio', '0.25', 0.25],
    ['traceidratio', 'many', 1],
    ['traceidratio', '', 1],
  ])('of the sampler %s %s sends a share of %d', (sampler, argument, ratio) => {
    const env = { ...ENDPOINT, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: argument };
    expect(tracingSettings(env)?.ratio).toBe(ratio);
  });

  it('says that a protocol other than its own is not spoken', () => {
    expect(tracingSettings({ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })?.warnings).toHaveLength(1);
  });
});
