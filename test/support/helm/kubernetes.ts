import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { z } from 'zod';
import type { ManifestObject } from './chart.js';

/** The kinds that the chart may make, with the schemas of Kubernetes and of the Prometheus operator. */
const MODELS = [ConfigMap, Deployment, Ingress, Job, PodDisruptionBudget, Service, ServiceMonitor];

/** Throws unless the object has a known kind and fits its schema. */
export function validate(object: ManifestObject): void {
  const Model = MODELS.find(
    ({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind,
  );
  if (Model === undefined) throw new Error(`no schema for ${object.apiVersion} ${object.kind}`);
  new Model(object as never).validate();
}

const probe = z.looseObject({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const container = z.looseObject({
  image: z.string(),
  args: z.array(z.string()).optional(),
  env: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  securityContext: z.record(z.string(), z.unknown()),
  resources: z.record(z.string(), z.unknown()),
  volumeMounts: z.array(
    z.object({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() }),
  ),
});
const projectedSecret = z.object({
  secret: z.object({ name: z.string(), items: z.array(z.object({ key: z.string(), path: z.string() })) }),
});
const volume = z.object({
  name: z.string(),
  configMap: z.object({ name: z.string() }).optional(),
  projected: z.looseObject({ sources: z.array(projectedSecret) }).optional(),
  emptyDir: z.object({ sizeLimit: z.string() }).optional(),
});
const workload = z.object({
  spec: z.looseObject({
    replicas: z.number().optional(),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }).optional(),
    template: z.object({
      metadata: z.object({
        labels: z.record(z.string(), z.string()),
        annotations: z.record(z.string(), z.string()).optional(),
      }),
      spec: z.looseObject({ containers: z.tuple([container]), volumes: z.array(volume) }),
    }),
  }),
});

export interface Workload {
  readonly name: string;
  readonly spec: z.infer<typeof workload>['spec'];
  readonly pod: z.infer<typeof workload>['spec']['template']['spec'];
  readonly labels: Readonly<Record<string, string>>;
  readonly container: z.infer<typeof container>;
  /** The variables of its container. */
  readonly env: Readonly<Record<string, string>>;
  /** The name of each mounted secret, with the Secret and the key that it comes from. */
  readonly secrets: Readonly<Record<string, { readonly name: string; readonly key: string }>>;
}

/** A Deployment or a Job. */
export function workloadOf(object: ManifestObject): Workload {
  const { spec } = workload.parse(object);
  const pod = spec.template.spec;
  const [first] = pod.containers;
  const sources = pod.volumes.flatMap(({ projected }) => projected?.sources ?? []);
  return {
    name: object.metadata.name,
    spec,
    pod,
    labels: spec.template.metadata.labels,
    container: first,
    env: Object.fromEntries(first.env.map(({ name, value }) => [name, value])),
    secrets: Object.fromEntries(
      sources.flatMap(({ secret: { name, items } }) => items.map(({ path, key }) => [path, { name, key }])),
    ),
  };
}
