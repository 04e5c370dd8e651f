import { z } from 'zod';
import { NO_COUNTS } from '../domain/run-counts.js';
import type { RunState } from '../domain/row-states.js';
import { RUN_STEPS, STOPPED_BY_LIMIT } from '../persistence/entities/sync-run.entity.js';
import type { SyncRunEntity } from '../persistence/entities/index.js';
import { listQuerySchema, moment, pageSchema } from './paging.js';
import { shown } from './shown.js';

/** In the order of a run's life, in which lists show them. */
export const RUN_STATES = [
  'queued',
  'running',
  'succeeded',
  'partial',
  'failed',
] as const satisfies readonly RunState[];

export const runQuerySchema = listQuerySchema(RUN_STATES);
export const syncBodySchema = z.strictObject({
  full: z.boolean().default(false),
  force: z.boolean().default(false),
});

const countsSchema = z.object({
  seen: z.int(),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  conflicted: z.int(),
  failed: z.int(),
  orphaned: z.int(),
  generationRequested: z.int(),
  owed: z.int(),
});

/** A run as commands and the API show it (docs/http.md). */
export const runSchema = z.object({
  id: z.string(),
  store: z.string(),
  status: z.enum(RUN_STATES),
  kind: z.enum(['full', 'incremental']),
  trigger: z.string(),
  requestedBy: z
    .string()
    .nullable()
    .describe(
      'the person or the token that asked for it; null for a run that a schedule or an event started',
    ),
  counts: countsSchema,
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
  error: z.string().nullable(),
  stoppedByLimit: z
    .boolean()
    .describe(
      'a share limit stopped it before anything was applied; `force` of a new sync ignores the limits',
    ),
  notes: z.array(z.string()).describe('remarks that are no errors'),
  steps: z
    .array(
      z.object({
        step: z.enum(RUN_STEPS),
        startedAt: z.iso.datetime(),
        finishedAt: z.iso.datetime().nullable(),
      }),
    )
    .describe('a run that is resumed repeats steps'),
  requests: z.object({ catalog: z.int(), store: z.int() }).describe('requests to each side'),
});
export type PresentedRun = z.output<typeof runSchema>;
export const runPageSchema = pageSchema(runSchema);

export function presentRun(run: SyncRunEntity): PresentedRun {
  return shown(runSchema, run, {
    status: statusOf(run.state),
    counts: { ...NO_COUNTS, ...run.counts },
    stoppedByLimit: run.errorCode === STOPPED_BY_LIMIT,
    steps: run.steps.map(({ step, startedAt }, index) => ({
      step,
      startedAt,
      finishedAt: run.steps[index + 1]?.startedAt ?? moment(run.finishedAt),
    })),
    requests: { catalog: run.requests.catalog ?? 0, store: run.requests.store ?? 0 },
  });
}

/** What is still a plan is shown as one, and not as a run. */
function statusOf(state: RunState): PresentedRun['status'] {
  switch (state) {
    case 'planning':
    case 'planned':
      return 'queued';
    case 'not_planned':
      return 'failed';
    default:
      return state;
  }
}

export function isUnderWay({ status }: Pick<PresentedRun, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}
