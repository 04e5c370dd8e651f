import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ConfigSource } from '../config/index.js';
import { CodedError, errorLine, isCoded } from '../domain/errors.js';
import { redactSecrets } from '../observability/logging/index.js';
import type { ReportEntity, ReportKind } from '../persistence/entities/report.entity.js';
import { ReportRepository } from '../persistence/report.repository.js';
import { Logger } from '../runtime/logger.js';
import { Shutdown } from '../runtime/shutdown.js';
import { Connections } from '../connections/connections.js';
import { findingSchema } from './check.js';
import { DriftOperations, driftSchema } from './drift.js';
import { found } from './found.js';
import { GenerateOperations, generateAnswerSchema } from './generate.js';
import { LiveCheck } from './live-check.js';
import { moment } from './paging.js';

export type { ReportKind };

const RESULTS = {
  check: z.object({ findings: z.array(findingSchema) }),
  drift: driftSchema,
  generate: generateAnswerSchema,
} satisfies Record<ReportKind, z.ZodType>;

type ReportOf<Kind extends ReportKind> = Pick<ReportEntity, 'id' | 'store' | 'state' | 'actor' | 'error'> & {
  readonly kind: Kind;
  /** Products that were read so far. */
  readonly progress: number;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  /** Null until it is done, and for a result that this release does not understand. */
  readonly result: z.output<(typeof RESULTS)[Kind]> | null;
};
export type Report = { readonly [Kind in ReportKind]: ReportOf<Kind> }[ReportKind];

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

function presentReport({ seenAt: _seenAt, ...row }: ReportEntity): Report {
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    finishedAt: moment(row.finishedAt),
    result: RESULTS[row.kind].safeParse(row.result).data ?? null,
    // The schema of the row's own kind has read the result.
  } as Report;
}
