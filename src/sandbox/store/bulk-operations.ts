import { randomBytes } from 'node:crypto';
import { GraphQLError } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import { evaluateExport } from './bulk-export.js';
import { planBulkQuery } from './bulk-validation.js';
import type { BulkQueryPlan } from './bulk-validation.js';
import { connectionOf } from './connections.js';
import type { Connection, ConnectionArgs, Position } from './connections.js';
import { gid } from './model.js';
import { requireId } from './require-id.js';
import type { ShopState } from './state.js';

export const BULK_MODES = [
  'ok',
  'access_denied', // bulk operations are not enabled for the app
  'failed', // ends FAILED, with a part of the file
  'cancelled_with_url', // ends CANCELED and offers a part of the file as `url`, as recorded
  'truncated', // COMPLETED, but the file ends in the middle of a line
  'interleaved', // children among other parents' lines
  'empty', // COMPLETED without a file
  'url_expired', // COMPLETED, but the file is no longer given out
  'wrong_counts', // COMPLETED, with counts larger than the file
] as const;
export type BulkMode = (typeof BULK_MODES)[number];

export interface BulkOptions {
  readonly enabled: boolean;
  /** How long an operation takes, by the sandbox's clock. */
  readonly delayMs: number;
  /** Whether children stand right behind their parent; a caller that asks for `groupObjects` always gets that. */
  readonly grouped: boolean;
}

interface Operation {
  readonly id: number;
  readonly query: string;
  readonly mode: BulkMode;
  readonly createdAt: Date;
  readonly fileName: string;
  cancelledAt: Date | null;
  outcome: FinishedFile | { readonly kind: 'error' } | null;
}

interface FinishedFile {
  readonly kind: 'file';
  readonly content: Buffer;
  readonly lineCount: number;
  readonly rootCount: number;
}

type Status = 'CREATED' | 'RUNNING' | 'COMPLETED' | 'CANCELING' | 'CANCELED' | 'FAILED';

const MAX_RUNNING = 5;

/** Exports of the shop: each evaluates its query for real and then takes its time, by the clock, to say so. */
export class BulkOperations {
  mode: BulkMode = 'ok';
  private readonly byId = new Map<number, Operation>();
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly state: ShopState,
    private readonly schema: GraphQLSchema,
    private readonly options: BulkOptions,
    private readonly baseUrl: () => string,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** `bulkOperationRunQuery`. */
  runQuery(args: { query: string; groupObjects: boolean }, context: object, rootValue: object): object {
    if (!this.options.enabled || this.mode === 'access_denied') throw notEnabled();
    const refused = (messages: readonly string[], field: string[] | null, code: string): object => {
      return { bulkOperation: null, userErrors: messages.map((message) => ({ field, message, code })) };
    };
    const plan = planBulkQuery(this.schema, args.query);
    if ('problems' in plan) return refused(plan.problems, ['query'], 'INVALID');
    const running = [...this.byId.values()].filter((each) => !isFinal(this.statusOf(each)));
    if (running.length >= MAX_RUNNING) {
      const ids = running.map((each) => gid('BulkOperation', each.id)).join(', ');
      return refused(
        [`A bulk query operation for this app and shop is already in progress: ${ids}.`],
        null,
        'OPERATION_IN_PROGRESS',
      );
    }
    const operation: Operation = {
      id: this.state.nextId('bulkOperation'),
      query: args.query,
      mode: this.mode,
      createdAt: this.state.now(),
      fileName: `${randomBytes(12).toString('hex')}.jsonl`,
      cancelledAt: null,
      outcome: null,
    };
    this.byId.set(operation.id, operation);
    const work = this.evaluate(operation, plan, args.groupObjects, context, rootValue).finally(() =>
      this.underWay.delete(work),
    );
    this.underWay.add(work);
    return { bulkOperation: { ...this.view(operation), status: 'CREATED' }, userErrors: [] };
  }

  /** `bulkOperation`. */
  get({ id }: { id: string }): object | null {
    const operation = this.byId.get(requireId(id, 'BulkOperation'));
    return operation ? this.view(operation) : null;
  }

  /** `bulkOperations`. They finish in the order in which they began, so both sort keys give the same. */
  list(args: ConnectionArgs): Connection<object> {
    const all = [...this.byId.values()];
    const positionOf = ({ id }: Operation): Position => ({ id, value: id });
    return connectionOf(args.reverse ? all.toReversed() : all, args, positionOf, (each) => this.view(each));
  }

  /** `currentBulkOperation`: the latest. */
  current(): object | null {
    const latest = [...this.byId.values()].at(-1);
    return latest ? this.view(latest) : null;
  }

  /** `bulkOperationCancel`. A finished operation is left alone with a user error; cancelling twice is none. */
  cancel({ id }: { id: string }): object {
    const operation = this.byId.get(requireId(id, 'BulkOperation'));
    if (!operation) {
      return {
        bulkOperation: null,
        userErrors: [{ field: ['id'], message: 'Bulk operation does not exist' }],
      };
    }
    const status = this.statusOf(operation);
    if (isFinal(status)) {
      const message = `A bulk operation cannot be canceled when it is ${status.toLowerCase()}`;
      return { bulkOperation: this.view(operation), userErrors: [{ field: null, message }] };
    }
    operation.cancelledAt ??= this.state.now();
    return { bulkOperation: { ...this.view(operation), status: 'CANCELING' }, userErrors: [] };
  }

  /** The file that a URL of ours names; `expired` where it is no longer given out, null where there never was one. */
  file(name: string): Buffer | 'expired' | null {
    const operation = [...this.byId.values()].find((each) => each.fileName === name);
    if (operation?.outcome?.kind !== 'file' || !isFinal(this.statusOf(operation))) return null;
    if (operation.mode === 'url_expired') return 'expired';
    const { content } = operation.outcome;
    if (operation.mode === 'truncated') return content.subarray(0, cutPoint(content));
    const isPart = operation.mode === 'failed' || operation.mode === 'cancelled_with_url';
    return isPart ? content.subarray(0, content.lastIndexOf('\n', cutPoint(content)) + 1) : content;
  }

  /** Resolves when no evaluation is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.underWay);
  }

  private async evaluate(
    operation: Operation,
    plan: BulkQueryPlan,
    groupObjects: boolean,
    context: object,
    rootValue: object,
  ): Promise<void> {
    const scattered = operation.mode === 'interleaved' || !(groupObjects || this.options.grouped);
    try {
      const file = await evaluateExport(
        this.schema,
        rootValue,
        plan,
        context,
        scattered ? 'scattered' : 'grouped',
      );
      const { lines, rootCount } = operation.mode === 'empty' ? { lines: [], rootCount: 0 } : file;
      const content = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      operation.outcome = { kind: 'file', content, lineCount: lines.length, rootCount };
    } catch (error) {
      this.onError(error);
      operation.outcome = { kind: 'error' };
    }
  }

  private statusOf(operation: Operation): Status {
    const now = this.state.now().getTime();
    if (operation.cancelledAt)
      return now - operation.cancelledAt.getTime() >= this.options.delayMs ? 'CANCELED' : 'CANCELING';
    const tookMs = now - operation.createdAt.getTime();
    if (!operation.outcome || tookMs < this.options.delayMs) {
      return tookMs * 4 < this.options.delayMs ? 'CREATED' : 'RUNNING';
    }
    if (operation.outcome.kind === 'error' || operation.mode === 'failed') return 'FAILED';
    return operation.mode === 'cancelled_with_url' ? 'CANCELED' : 'COMPLETED';
  }

  private view(operation: Operation): object {
    const status = this.statusOf(operation);
    const file = operation.outcome?.kind === 'file' && isFinal(status) ? operation.outcome : null;
    const offered =
      file && file.lineCount > 0 && !operation.cancelledAt
        ? `${this.baseUrl()}/bulk-files/${operation.fileName}`
        : null;
    const miscount = operation.mode === 'wrong_counts' ? 1 : 0;
    const finishedAt = new Date(operation.createdAt.getTime() + this.options.delayMs);
    return {
      __typename: 'BulkOperation',
      id: gid('BulkOperation', operation.id),
      status,
      type: 'QUERY',
      query: operation.query,
      errorCode: status === 'FAILED' ? 'INTERNAL_SERVER_ERROR' : null,
      createdAt: operation.createdAt,
      completedAt: status === 'COMPLETED' || status === 'FAILED' ? finishedAt : null,
      // While an operation runs its counters stand still, as recorded.
      objectCount: String(file ? file.lineCount + miscount * 3 : 0),
      rootObjectCount: String(file ? file.rootCount + miscount : 0),
      fileSize: status === 'COMPLETED' && file && offered ? String(file.content.length) : null,
      url: status === 'FAILED' ? null : offered,
      partialDataUrl: status === 'FAILED' ? offered : null,
    };
  }
}

function isFinal(status: Status): boolean {
  return status === 'COMPLETED' || status === 'CANCELED' || status === 'FAILED';
}

/** About two thirds in, and never at the end of a line. */
function cutPoint(whole: Buffer): number {
  let at = Math.floor((whole.length * 2) / 3);
  while (at > 1 && (whole[at - 1] === 0x0a || whole[at] === 0x0a)) at -= 1;
  return at;
}

function notEnabled(): GraphQLError {
  return new GraphQLError(
    'Access denied for bulkOperationRunQuery field. Bulk operations are not enabled for this app.',
    {
      extensions: { code: 'ACCESS_DENIED', documentation: 'https://shopify.dev/api/usage/access-scopes' },
    },
  );
}
