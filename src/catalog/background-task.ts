import { CodedError } from '../domain/errors.js';
import { TASK_FIELDS } from './assumptions.js';
import type { Redactor } from './redaction.js';
import { backgroundCreationSchema } from './schemas.js';
import { firstId, idOf, isRecord } from '../runtime/untrusted-json.js';

export interface BackgroundTask {
  readonly id: string;
  /** The service's own status; null when there was none. */
  readonly status: string | null;
  /**
   * The meaning of the status by the configured lists. A word in neither means `running`
   * (docs/catalog-rules.md#background-tasks).
   */
  readonly state: 'succeeded' | 'failed' | 'running';
  /** The reason of a failure in one line, if the service gave one. */
  readonly reason?: string;
  /** The whole record. Its other fields are undocumented. */
  readonly raw: Readonly<Record<string, unknown>>;
}

export interface TaskStatuses {
  readonly success: readonly string[];
  readonly failure: readonly string[];
}

/** Fields that may list the products of a request. They are undocumented, so all are tried. */
const LIST_FIELDS = ['products', 'results', 'items', 'tasks'];
const PRODUCT_FIELDS = ['product_id', 'product', 'id'];

/** Reads task records (docs/catalog-rules.md#background-tasks, fields undocumented) by the assumed field names. */
export class TaskReader {
  private readonly success: ReadonlySet<string>;
  private readonly failure: ReadonlySet<string>;

  constructor(
    statuses: TaskStatuses,
    private readonly redactor: Redactor,
  ) {
    this.success = new Set(statuses.success.map(normal));
    this.failure = new Set(statuses.failure.map(normal));
  }

  /**
   * `askedId` is the id of the request. Without it, the record must contain the id. Throws `misconfigured` otherwise.
   */
  read(raw: Readonly<Record<string, unknown>>, askedId?: string): BackgroundTask {
    const id = askedId ?? firstId(raw, TASK_FIELDS.id);
    if (id === undefined) {
      throw new CodedError(
        'misconfigured',
        `catalog tasks have none of the id fields ${TASK_FIELDS.id.join(', ')}`,
      );
    }
    const status = this.statusOf(raw);
    const state = this.stateOf(status);
    const reason = state === 'failed' ? this.reasonOf(raw) : undefined;
    return { id, status, state, ...(reason === undefined ? {} : { reason }), raw };
  }

  /**
   * The result of one product, if the record lists several (`products`, `results`, `items` or `tasks`, with catalog
   * id or external_id). Null otherwise. A request that succeeded as a whole may have failed for some.
   */
  readProduct(
    task: BackgroundTask,
    product: { readonly id: string; readonly externalId: string },
  ): BackgroundTask | null {
    const entries = LIST_FIELDS.flatMap((field) => {
      const list = task.raw[field];
      return Array.isArray(list) ? list.filter(isRecord) : [];
    });
    const entry = entries.find(
      (each) =>
        PRODUCT_FIELDS.some((field) => idOf(each[field]) === product.id) ||
        each['external_id'] === product.externalId,
    );
    if (entry === undefined || this.statusOf(entry) === null) return null;
    return this.read(entry, task.id);
  }

  private statusOf(raw: Readonly<Record<string, unknown>>): string | null {
    const found = TASK_FIELDS.status.map((field) => raw[field]).find((value) => typeof value === 'string');
    return typeof found === 'string' ? found : null;
  }

  private stateOf(status: string | null): BackgroundTask['state'] {
    if (status === null) return 'running';
    if (this.success.has(normal(status))) return 'succeeded';
    return this.failure.has(normal(status)) ? 'failed' : 'running';
  }

  private reasonOf(raw: Readonly<Record<string, unknown>>): string | undefined {
    for (const field of TASK_FIELDS.reason) {
      const value = raw[field];
      const text =
        typeof value === 'string'
          ? value
          : isRecord(value) || Array.isArray(value)
            ? JSON.stringify(value)
            : '';
      const reason = this.redactor.excerpt(text, 500);
      if (reason !== '') return reason;
    }
    return undefined;
  }
}

function normal(status: string): string {
  return status.trim().toLowerCase();
}

/** The id of the task that an accepted creation names; null for any other answer, so that no parse error is created for it. */
export function acceptedTask(answer: unknown): string | null {
  if (!isRecord(answer) || answer['background_task_id'] === undefined) return null;
  const accepted = backgroundCreationSchema.safeParse(answer);
  return accepted.success ? accepted.data.background_task_id : null;
}
