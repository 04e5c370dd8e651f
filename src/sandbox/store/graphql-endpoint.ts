import { randomUUID } from 'node:crypto';
import {
  GraphQLError,
  Kind,
  execute,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  parse,
  validate,
} from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { actualCost, requestedCost } from './cost.js';
import type { CostQuestion } from './cost.js';
import type { Ledger, MutationEntry } from './ledger.js';
import type { RequestContext } from './request-context.js';
import { rootValue } from './resolvers.js';
import type { Throttle } from './throttle.js';

export interface GraphqlRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
}

export interface GraphqlAnswer {
  readonly body: Record<string, unknown>;
  readonly cost: { readonly requested: number; readonly actual: number | null } | null;
  readonly throttled: boolean;
}

export type ContextParts = Omit<RequestContext, 'searches' | 'mutations' | 'exportWindow'>;

const MAX_QUERY_COST = 1000;

/** The document of a request and which of its operations is meant. */
export interface Operation {
  readonly document: DocumentNode;
  readonly definition: OperationDefinitionNode;
  /** Names of its root fields. */
  readonly fields: readonly string[];
  /** The errors of the document; nothing runs then. */
  readonly problems: readonly GraphQLError[];
}

interface CheckedDocument {
  readonly document: DocumentNode;
  readonly problems: readonly GraphQLError[];
}

const KEPT_DOCUMENTS = 200;

/** Runs documents as the Admin API does: everything that can go wrong in one is answered with HTTP 200 and `errors`. */
export class GraphqlEndpoint {
  /** Callers send the same few documents over and over; checking one takes longer than running it. */
  private readonly checked = new Map<string, CheckedDocument>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly parts: ContextParts,
    private readonly throttle: Throttle | null,
    private readonly ledger: Ledger,
  ) {}

  /** The operation that the request asks for, or why its text names none. */
  read({ query, operationName }: GraphqlRequest): Operation | { unreadable: GraphQLError } {
    const checked = this.check(query);
    if ('unreadable' in checked) return checked;
    const { document, problems } = checked;
    const definition = getOperationAST(document, operationName);
    if (!definition) {
      const message =
        operationName === null ? 'An operation name is required' : `No operation named "${operationName}"`;
      return { unreadable: new GraphQLError(message) };
    }
    const selections = definition.selectionSet.selections;
    const fields = selections.flatMap((each) => (each.kind === Kind.FIELD ? [each.name.value] : []));
    return { document, definition, fields, problems };
  }

  /** Runs what `read` found. With `forceThrottle` it is refused as if the bucket were empty. */
  async answer(
    operation: Operation | { unreadable: GraphQLError },
    request: GraphqlRequest,
    forceThrottle = false,
  ): Promise<GraphqlAnswer> {
    if ('unreadable' in operation) return refused([operation.unreadable]);
    if (operation.problems.length > 0) return refused(operation.problems);
    const coerced = this.variables(operation.definition, request.variables);
    if ('errors' in coerced) return refused(coerced.errors);

    const question: CostQuestion = {
      schema: this.schema,
      document: operation.document,
      operation: operation.definition,
      variables: coerced.variables,
    };
    const requested = requestedCost(question);
    if (requested > MAX_QUERY_COST) return refused([tooExpensive(requested)]);
    const oversized = this.oversized(operation.definition, coerced.variables);
    if (oversized) return { ...refused([oversized]), cost: { requested, actual: null } };
    if (forceThrottle || (this.throttle && !this.throttle.take(requested))) return this.throttled(requested);
    return this.execute(operation, question, requested);
  }

  private async execute(
    operation: Operation,
    question: CostQuestion,
    requested: number,
  ): Promise<GraphqlAnswer> {
    const mutations: MutationEntry[] = [];
    const context: RequestContext = { ...this.parts, searches: [], mutations, exportWindow: null };
    const result = await execute({
      schema: this.schema,
      document: operation.document,
      rootValue,
      contextValue: context,
      variableValues: question.variables,
      operationName: operation.definition.name?.value ?? null,
    });
    this.recordMutations(mutations, result.data);
    const actual = Math.min(requested, Math.max(actualCost(question, result.data), 0));
    this.throttle?.refund(requested - actual);
    const extensions = {
      cost: this.costReport(requested, actual),
      ...(context.searches.length > 0 ? { search: context.searches } : {}),
    };
    const errors = result.errors?.map((error) => this.reported(error));
    const body = { ...(errors ? { errors } : {}), data: result.data ?? null, extensions };
    return { body, cost: { requested, actual }, throttled: false };
  }

  private check(query: string): CheckedDocument | { unreadable: GraphQLError } {
    const known = this.checked.get(query);
    if (known) return known;
    try {
      const document = parse(query);
      const fresh = { document, problems: validate(this.schema, document) };
      if (this.checked.size >= KEPT_DOCUMENTS) this.checked.clear();
      this.checked.set(query, fresh);
      return fresh;
    } catch (error) {
      if (error instanceof GraphQLError) return { unreadable: error };
      throw error;
    }
  }

  private variables(
    operation: OperationDefinitionNode,
    given: Readonly<Record<string, unknown>>,
  ): { errors: readonly GraphQLError[] } | { variables: Readonly<Record<string, unknown>> } {
    const definitions = operation.variableDefinitions ?? [];
    const coerced = getVariableValues(this.schema, definitions, given);
    if (coerced.errors) {
      const named = (error: GraphQLError): GraphQLError => {
        return new GraphQLError(error.message, {
          nodes: error.nodes ?? null,
          extensions: { code: 'INVALID_VARIABLE' },
        });
      };
      return { errors: coerced.errors.map(named) };
    }
    return { variables: coerced.coerced };
  }

  private oversized(
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
  ): GraphQLError | null {
    const root = this.schema.getRootType(operation.operation);
    for (const field of operation.selectionSet.selections) {
      const definition = field.kind === Kind.FIELD ? root?.getFields()[field.name.value] : undefined;
      if (field.kind !== Kind.FIELD || !definition) continue;
      const found = oversizedInput(getArgumentValues(definition, field, variables), [field.name.value]);
      if (!found) continue;
      const message = `The input array size of ${found.size} is greater than the maximum allowed of 250.`;
      return new GraphQLError(message, {
        nodes: [field],
        path: found.path,
        extensions: { code: 'MAX_INPUT_SIZE_EXCEEDED' },
      });
    }
    return null;
  }

  private throttled(requested: number): GraphqlAnswer {
    const errors = [
      {
        message: 'Throttled',
        extensions: { code: 'THROTTLED', documentation: 'https://shopify.dev/api/usage/rate-limits' },
      },
    ];
    const body = { errors, extensions: { cost: this.costReport(requested, null) } };
    return { body, cost: { requested, actual: null }, throttled: true };
  }

  private costReport(requested: number, actual: number | null): object {
    const unlimited = { maximumAvailable: 2000, currentlyAvailable: 2000, restoreRate: 100 };
    const throttleStatus = this.throttle?.status() ?? unlimited;
    return { requestedQueryCost: requested, actualQueryCost: actual, throttleStatus };
  }

  private recordMutations(mutations: readonly MutationEntry[], data: ExecutionResult['data']): void {
    const values = data ?? {};
    for (const entry of mutations) {
      entry.result = values[entry.responseKey] ?? null;
      this.ledger.mutations.push(entry);
    }
  }

  /** The sandbox's own failures are kept for whoever runs it; the caller sees what a real store would answer. */
  private reported(error: GraphQLError): object {
    const { originalError } = error;
    if (!originalError || originalError instanceof GraphQLError) return error.toJSON();
    this.ledger.internalErrors.push(originalError);
    const requestId = randomUUID();
    const message = `Internal error. Looks like something went wrong on our end. Request ID: ${requestId} (include this in support requests).`;
    return { message, extensions: { code: 'INTERNAL_SERVER_ERROR', requestId } };
  }
}

function refused(errors: readonly GraphQLError[]): GraphqlAnswer {
  return { body: { errors: errors.map((error) => error.toJSON()) }, cost: null, throttled: false };
}

function tooExpensive(cost: number): GraphQLError {
  const message = `Query cost is ${cost}, which exceeds the single query max cost limit (${MAX_QUERY_COST}).`;
  const documentation = 'https://shopify.dev/api/usage/rate-limits';
  return new GraphQLError(message, {
    extensions: { code: 'MAX_COST_EXCEEDED', cost, maxCost: MAX_QUERY_COST, documentation },
  });
}

/** An array of more than 250 elements is refused before anything runs. `path` begins with the root field. */
function oversizedInput(
  input: unknown,
  path: readonly (string | number)[],
): { path: readonly (string | number)[]; size: number } | null {
  if (Array.isArray(input) && input.length > 250) return { path, size: input.length };
  if (typeof input !== 'object' || input === null) return null;
  for (const [key, value] of Object.entries(input)) {
    const found = oversizedInput(value, [...path, key]);
    if (found) return found;
  }
  return null;
}
