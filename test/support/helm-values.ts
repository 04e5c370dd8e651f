import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

type Values = Readonly<Record<string, unknown>>;

const example = z.record(z.string(), z.unknown()).parse(parse(readFileSync('config/example.yaml', 'utf8')));
export const INSTALLS = {
  config: {
    ...example,
    server: { encryptionKey: '${ENCRYPTION_KEY}' },
    storeTemplate: {
      workspace: 'default',
      auth: { clientId: '${SHOPIFY_CLIENT_ID}', clientSecret: '${SHOPIFY_CLIENT_SECRET}' },
    },
  },
  secrets: {
    variables: {
      ENCRYPTION_KEY: { key: 'encryption-key', receive: true },
      SHOPIFY_CLIENT_ID: { receive: true },
    },
  },
};
export const INGRESS = { enabled: true, host: 'sync.example.com' };

/** Values that differ from the default, each alone, so that every branch of the templates is rendered. */
const TOGGLES: readonly [string, Values][] = [
  ['the defaults', {}],
  ['the layout by roles', { layout: 'roles' }],
  ['another name', { fullnameOverride: `${'long'.repeat(20)}-` }],
  [
    'an image by tag',
    { image: { repository: 'registry.example.com/worker', tag: 'edge', pullPolicy: 'Always' } },
  ],
  ['an image by digest', { image: { digest: `sha256:${'a'.repeat(64)}` } }],
  ['a secret of the registry', { imagePullSecrets: [{ name: 'registry' }] }],
  ['a secret left out', { secrets: { variables: { SHOPIFY_CLIENT_ID: null } } }],
  [
    'secrets of several Secrets',
    { secrets: { secretName: 'one', variables: { ADMIN_TOKEN: { secretName: 'two' } } } },
  ],
  ['further variables', { env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318' }, logLevel: 'debug' }],
  ['more replicas', { processes: { all: { replicas: 3 }, receive: { replicas: 4 } } }],
  [
    'another size of /tmp, and time to stop',
    { tmp: { sizeLimit: '50Gi' }, terminationGracePeriodSeconds: 60 },
  ],
  ['a load balancer', { service: { type: 'LoadBalancer', port: 443, adminPort: 8080 } }],
  ['an Ingress', { ingress: INGRESS }],
  [
    'an Ingress with certificate, class and annotations',
    { ingress: { ...INGRESS, className: 'nginx', tlsSecretName: 'tls', annotations: { a: 'b' } } },
  ],
  ['an Ingress with the install flow', { ...INSTALLS, ingress: INGRESS }],
  ['no disruption budget', { podDisruptionBudget: { enabled: false } }],
  ['no migration', { migration: { enabled: false } }],
  ['a migration with other bounds', { migration: { activeDeadlineSeconds: 60, backoffLimit: 0 } }],
  [
    'a ServiceMonitor',
    { serviceMonitor: { enabled: true, interval: '1m', labels: { release: 'prometheus' } } },
  ],
  [
    'a place for the pods',
    {
      serviceAccountName: 'worker',
      podAnnotations: { a: 'b' },
      podLabels: { c: 'd' },
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'dedicated', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
    },
  ],
  ['other ports', { config: { server: { port: 8000, admin: { port: 8001 } } } }],
];
/** Each of them in each layout. */
export const BOTH_LAYOUTS = TOGGLES.flatMap(([what, values]) =>
  ['single', 'roles'].map((layout): [string, string, Values] => [what, layout, { ...values, layout }]),
);
