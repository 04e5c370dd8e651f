import { randomBytes } from 'node:crypto';
import { GraphQLError, parse, validate } from 'graphql';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { evaluateExport } from './bulk-export.js';
import { connectionOf } from './connections.js';
import type { Connection, ConnectionArgs } from './connections.js';
import { gid, requireId } from './model.js';
import type { ShopState } from './state.js';

interface Operation {
  readonly id: number;
  readonly query: string;
  readonly createdAt: Date;
  readonly fileName: string;
  cancelledAt: Date | null;
  outcome: FinishedFile | 'error' | null;
}

interface FinishedFile {
  readonly content: Buffer;
  readonly lineCount: number;
  readonly rootCount: number;
}

type Status = 'CREATED' | 'RUNNING' | 'COMPLETED' | 'CANCELING' | 'CANCELED' | 'FAILED';

const MAX_RUNNING = 5;

/** Exports of the shop: each evaluates its query for real and then takes its time, by the clock, to say so. */
export class BulkOperations {
  private readonly byId = new Map<number, Operation>();
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly state: ShopState,
    private readonly schema: GraphQLSchema,
    /** How long an operation takes, by the sandbox's clock. */
    private readonly delayMs: number,
    private readonly baseUrl: () => string,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** `bulkOperationRunQuery`. */
  runQuery({ query }: { query: string }, context: object, rootValue: object): object {
    const document = this.checked(query);
    if (document instanceof GraphQLError) {
      const message = `Invalid bulk query: ${document.message}`;
      return { bulkOperation: null, userErrors: [{ field: ['query'], message, code: 'INVALID' }] };
    }
    const running = [...this.byId.values()].filter((each) => !isFinal(this.statusOf(each)));
    if (running.length >= MAX_RUNNING) {
      const ids = running.map((each) => gid('BulkOperation', each.id)).join(', ');
      const message = `A bulk query operation for this app and shop is already in progress: ${ids}.`;
      return {
        bulkOperation: null,
        userErrors: [{ field: null, message, code: 'OPERATION_IN_PROGRESS' }],
      };
    }
    const operation: Operation = {
      id: this.state.nextId('bulkOperation'),
      query,
      createdAt: this.state.now(),
      fileName: `${randomBytes(12).toString('hex')}.jsonl`,
      cancelledAt: null,
      outcome: null,
    };
    this.byId.set(operation.id, operation);
    const work = this.evaluate(operation, document, context, rootValue).finally(() =>
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
  list(args: ConnectionArgs & { reverse: boolean }): Connection<object> {
    const all = [...this.byId.values()];
    return connectionOf(
      args.reverse ? all.toReversed() : all,
      args,
      ({ id }) => ({ id, value: id }),
      (each) => this.view(each),
    );
  }

  /** `bulkOperationCancel`. A finished operation is left alone with a user error; cancelling twice is none. */
  cancel({ id }: { id: string }): object {
    const operation = this.byId.get(requireId(id, 'BulkOperation'));
    if (!operation) {
      const message = 'Bulk operation does not exist';
      return { bulkOperation: null, userErrors: [{ field: ['id'], message }] };
    }
    const status = this.statusOf(operation);
    if (isFinal(status)) {
      const message = `A bulk operation cannot be canceled when it is ${status.toLowerCase()}`;
      return { bulkOperation: this.view(operation), userErrors: [{ field: null, message }] };
    }
    operation.cancelledAt ??= this.state.now();
    return { bulkOperation: { ...this.view(operation), status: 'CANCELING' }, userErrors: [] };
  }

  /** The file that a URL of ours names; null where there never was one. */
  file(name: string): Buffer | null {
    const operation = [...this.byId.values()].find((each) => each.fileName === name);
    return operation ? (this.finished(operation)?.content ?? null) : null;
  }

  /** Resolves when no evaluation is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.underWay);
  }

  /** The document of an export, or why it is refused. */
  private checked(query: string): DocumentNode | GraphQLError {
    try {
      const document = parse(query);
      const [error] = validate(this.schema, document);
      return error ?? document;
    } catch (error) {
      if (error instanceof GraphQLError) return error;
      throw error;
    }
  }

  private async evaluate(
    operation: Operation,
    document: DocumentNode,
    context: object,
    rootValue: object,
  ): Promise<void> {
    try {
      const { lines, rootCount } = await evaluateExport(this.schema, rootValue, document, context);
      const content = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      operation.outcome = { content, lineCount: lines.length, rootCount };
    } catch (error) {
      this.onError(error);
      operation.outcome = 'error';
    }
  }

  private statusOf({ cancelledAt, createdAt, outcome }: Operation): Status {
    const now = this.state.now().getTime();
    if (cancelledAt) return now - cancelledAt.getTime() >= this.delayMs ? 'CANCELED' : 'CANCELING';
    const tookMs = now - createdAt.getTime();
    if (outcome === null || tookMs < this.delayMs) return tookMs * 4 < this.delayMs ? 'CREATED' : 'RUNNING';
    return outcome === 'error' ? 'FAILED' : 'COMPLETED';
  }

  private finished(operation: Operation): FinishedFile | null {
    const { outcome } = operation;
    return outcome !== 'error' && this.statusOf(operation) === 'COMPLETED' ? outcome : null;
  }

  private view(operation: Operation): object {
    const status = this.statusOf(operation);
    const file = this.finished(operation);
    const isOffered = file !== null && file.lineCount > 0;
    return {
      id: gid('BulkOperation', operation.id),
      status,
      type: 'QUERY',
      query: operation.query,
      createdAt: operation.createdAt,
      errorCode: status === 'FAILED' ? 'INTERNAL_SERVER_ERROR' : null,
      // While an operation runs its counters stand still, as recorded.
      objectCount: String(file?.lineCount ?? 0),
      rootObjectCount: String(file?.rootCount ?? 0),
      fileSize: isOffered ? String(file.content.length) : null,
      url: isOffered ? `${this.baseUrl()}/bulk-files/${operation.fileName}` : null,
    };
  }
}

function isFinal(status: Status): boolean {
  return status === 'COMPLETED' || status === 'CANCELED' || status === 'FAILED';
}
