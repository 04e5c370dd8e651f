import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ConfigSource } from '../config/index.js';
import { CodedError, errorLine, isCoded } from '../domain/errors.js';
import { redactSecrets } from '../observability/logging/index.js';
import type { ReportEntity, ReportKind, ReportState } from '../persistence/entities/report.entity.js';
import { ReportRepository } from '../persistence/report.repository.js';
import { Logger } from '../runtime/logger.js';
import { Shutdown } from '../runtime/shutdown.js';
import { Connections } from '../connections/connections.js';
import type { Finding } from './check.js';
import { DriftOperations, driftSchema, type Drift } from './drift.js';
import { found } from './found.js';
import { GenerateOperations, generateAnswerSchema, type GenerateAnswer } from './generate.js';
import { LiveCheck } from './live-check.js';

export type { ReportKind };

const findingSchema = z.object({
  level: z.enum(['ok', 'warn', 'FAIL']),
  what: z.string(),
  detail: z.string(),
});

interface ReportBase {
  readonly id: string;
  readonly store: string;
  readonly state: ReportState;
  readonly actor: string;
  /** Products that were read so far. */
  readonly progress: number;
  readonly error: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

/** A report with its result, which is null until it is done. */
export type Report = ReportBase &
  (
    | { readonly kind: 'check'; readonly result: readonly Finding[] | null }
    | { readonly kind: 'drift'; readonly result: Drift | null }
    | { readonly kind: 'generate'; readonly result: GenerateAnswer | null }
  );

const SEEN_EVERY_MS = 5_000;
/** Products with drift, or passed over, that a report keeps. */
const MOST_LISTED = 500;

/**
 * Checks, looks for drift and generations that a person asked for on the dashboard. This process makes them; the rows
 * let every replica show them.
 */
@Injectable()
export class Reports {
  readonly #log: Pick<Logger, 'error'>;

  constructor(
    private readonly rows: ReportRepository,
    private readonly drift: DriftOperations,
    private readonly generation: GenerateOperations,
    private readonly connections: Connections,
    private readonly check: LiveCheck,
    private readonly source: ConfigSource,
    private readonly shutdown: Shutdown,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'reports' });
  }

  /**
   * Begins a report, or joins the one that is being made. `store`: empty for a check. Throws `not_found` for an unknown store.
   * `done` resolves when the report has ended, and never rejects.
   */
  async start(kind: ReportKind, store: string, actor: string): Promise<{ id: string; done: Promise<void> }> {
    if (store !== '') this.connections.namedStore(store);
    const id = await this.rows.begin(kind, store, actor);
    if (id === null) {
      const running = await this.rows.newest(kind, store);
      if (running === null) throw new CodedError('conflict', 'the report ended just now; ask again');
      return { id: running.id, done: Promise.resolve() };
    }
    return { id, done: this.#make(id, kind, store) };
  }

  /** Throws `not_found` for an unknown id. */
  async show(id: string): Promise<Report> {
    return presentReport(found(await this.rows.get(id), 'report', id));
  }

  async newest(kind: ReportKind, store: string): Promise<Report | null> {
    const row = await this.rows.newest(kind, store);
    return row === null ? null : presentReport(row);
  }

  async #make(id: string, kind: ReportKind, store: string): Promise<void> {
    let progress = 0;
    const alive = setInterval(() => {
      void this.rows.seen(id, progress).catch(() => undefined); // the next one may succeed
    }, SEEN_EVERY_MS);
    try {
      const result = await this.#result(kind, store, (checked) => {
        progress = checked;
      });
      await this.rows.done(id, progress, result);
    } catch (error) {
      const line = redactSecrets(errorLine(error), this.source.secrets());
      if (!isCoded(error) && !this.shutdown.signal.aborted)
        this.#log.error({ err: line, kind }, 'a report failed');
      await this.rows.failed(id, line).catch(() => undefined); // its silence ends it
    } finally {
      clearInterval(alive);
    }
  }

  async #result(kind: ReportKind, store: string, onProgress: (done: number) => void): Promise<object> {
    const { signal } = this.shutdown;
    switch (kind) {
      case 'check':
        return { findings: await this.check.findings() };
      case 'drift': {
        const drift = await this.drift.look(store, signal, onProgress);
        return { ...drift, products: drift.products.slice(0, MOST_LISTED) };
      }
      case 'generate': {
        const answer = await this.generation.generate({ store, ids: [], force: false }, signal);
        return { ...answer, passedOver: answer.passedOver.slice(0, MOST_LISTED) };
      }
    }
  }
}

function presentReport(row: ReportEntity): Report {
  const { id, kind, store, state, actor, progress, error, result } = row;
  const base: ReportBase = {
    id,
    store,
    state,
    actor,
    progress,
    error,
    createdAt: row.createdAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
  switch (kind) {
    case 'check':
      return {
        ...base,
        kind,
        result: parsed(z.object({ findings: z.array(findingSchema) }), result)?.findings ?? null,
      };
    case 'drift':
      return { ...base, kind, result: parsed(driftSchema, result) };
    case 'generate':
      return { ...base, kind, result: parsed(generateAnswerSchema, result) };
  }
}

/** A result that another release wrote, and that this one does not understand, counts as absent. */
function parsed<T>(schema: z.ZodType<T>, value: unknown): T | null {
  return schema.safeParse(value).data ?? null;
}
