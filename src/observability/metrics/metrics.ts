import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

export const UNKNOWN_NAME = '(unknown)';

/** The metrics for Prometheus, one instance per process. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  readonly deliveries = this.#counter('deliveries_received_total', 'Deliveries received, by answer given', [
    'workspace',
    'outcome',
  ]);
  readonly storeEvents = this.#counter(
    'store_events_received_total',
    'Store events received, by answer given',
    ['store', 'outcome'],
  );
  readonly accessRefused = this.#counter(
    'access_refused_total',
    'Sign-ins and API requests that were refused for their token',
    ['via', 'reason'],
  );
  readonly ackSeconds = new Histogram({
    name: 'store_sync_delivery_ack_seconds',
    help: 'Time from a delivery’s first byte to its answer',
    // Up to the sender's limit of ten seconds. The alert compares with 0.25.
    buckets: [0.002, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.05, 0.1, 0.25, 0.5, 1, 3, 10],
    registers: [this.registry],
  });
  readonly interpreted = this.#counter('deliveries_interpreted_total', 'Deliveries interpreted, by outcome', [
    'outcome',
  ]);
  readonly runs = this.#counter('runs_total', 'Runs ended, by state', ['store', 'state']);
  readonly runSeconds = new Histogram({
    name: 'store_sync_run_duration_seconds',
    help: 'Time from a run’s first start to its end, waits between its tries included',
    labelNames: ['store', 'kind'],
    buckets: [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400],
    registers: [this.registry],
  });
  readonly actions = this.#counter(
    'actions_total',
    'Actions of runs that were carried out or failed, by kind',
    ['kind', 'outcome'],
  );
  readonly writeBacks = this.#counter(
    'write_backs_total',
    'Write-backs looked at, by the state they led to',
    ['state'],
  );
  readonly gateFindings = this.#counter(
    'gate_findings_total',
    'Faults that gates found in generated texts, by store and gate',
    ['store', 'gate'],
  );
  readonly writeBackConflicts = this.#counter(
    'write_back_conflicts_total',
    'Fields that were left to the merchant, who had edited them',
    ['store'],
  );
  readonly catalogRequests = this.#counter('catalog_requests_total', 'Requests to the catalog service', [
    'method',
    'status',
  ]);
  readonly storeRequests = this.#counter('store_requests_total', 'Requests to stores', [
    'store',
    'operation',
    'outcome',
  ]);
  readonly storeBucket = new Gauge({
    name: 'store_sync_store_bucket_points',
    help: 'Points available in the store’s rate-limit bucket, as last reported',
    labelNames: ['store'],
    registers: [this.registry],
  });
  readonly notifications = this.#counter('notifications_total', 'Notifications posted, by outcome', [
    'outcome',
  ]);
  #refresh: () => Promise<void> = () => Promise.resolve();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /**
   * Creates the series of the alerts at start. For Prometheus, a counter that first appears with 1 has not increased.
   */
  begin(workspaces: readonly string[], stores: readonly string[]): void {
    for (const workspace of workspaces)
      for (const outcome of ['stored', 'duplicate', 'refused', 'unavailable'])
        this.deliveries.inc({ workspace, outcome }, 0);
    for (const store of stores) {
      for (const outcome of ['stored', 'ignored', 'refused', 'unavailable'])
        this.storeEvents.inc({ store, outcome }, 0);
      for (const state of ['succeeded', 'partial', 'failed']) this.runs.inc({ store, state }, 0);
      this.writeBackConflicts.inc({ store }, 0);
    }
    for (const via of ['api', 'dashboard'])
      for (const reason of ['wrong_token', 'throttled']) this.accessRefused.inc({ via, reason }, 0);
    for (const outcome of ['sent', 'failed']) this.notifications.inc({ outcome }, 0);
  }

  /** `text` awaits `refresh` first, which sets the gauges that are read at a scrape. It must not throw. */
  beforeText(refresh: () => Promise<void>): void {
    this.#refresh = refresh;
  }

  /** All metrics in Prometheus' text format, within a few seconds even while the database is down. */
  async text(): Promise<string> {
    await this.#refresh();
    return this.registry.metrics();
  }

  #counter<T extends string>(name: string, help: string, labelNames: readonly T[]): Counter<T> {
    return new Counter({
      name: `store_sync_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
    });
  }
}
