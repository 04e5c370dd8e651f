import { randomUUID } from 'node:crypto';
import { GraphQLError, Kind, execute, getOperationAST, getVariableValues, parse, validate } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { actualCost, requestedCost } from './cost.js';
import type { CostQuestion } from './cost.js';
import type { RequestContext } from './request-context.js';
import { rootValue } from './resolvers.js';
import type { Throttle } from './throttle.js';

export interface GraphqlRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
}

export type ContextParts = Omit<RequestContext, 'searches' | 'exportWindow'>;

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
    private readonly onError: (error: unknown) => void,
  ) {}

  /** The operation that the request asks for, or why its text names none. */
  read({ query, operationName }: GraphqlRequest): Operation | GraphQLError {
    const checked = this.check(query);
    if (checked instanceof GraphQLError) return checked;
    const definition = getOperationAST(checked.document, operationName);
    if (!definition) {
      const message =
        operationName === null ? 'An operation name is required' : `No operation named "${operationName}"`;
      return new GraphQLError(message);
    }
    const selections = definition.selectionSet.selections;
    const fields = selections.flatMap((each) => (each.kind === Kind.FIELD ? [each.name.value] : []));
    return { ...checked, definition, fields };
  }

  /** The body of the answer to what `read` found. */
  async answer(operation: Operation | GraphQLError, request: GraphqlRequest): Promise<object> {
    if (operation instanceof GraphQLError) return refused([operation]);
    const { definition, problems } = operation;
    if (problems.length > 0) return refused(problems);
    const coerced = getVariableValues(this.schema, definition.variableDefinitions ?? [], request.variables);
    if (coerced.errors) return refused(coerced.errors.map(invalidVariable));
    const variables = coerced.coerced;
    const question: CostQuestion = { schema: this.schema, operation: definition, variables };
    const requested = requestedCost(question);
    if (requested > MAX_QUERY_COST) return refused([tooExpensive(requested)]);
    if (this.throttle && !this.throttle.take(requested)) return this.throttled(requested);
    return this.execute(operation, question, requested);
  }

  private async execute(operation: Operation, question: CostQuestion, requested: number): Promise<object> {
    const context: RequestContext = { ...this.parts, searches: [], exportWindow: null };
    const result = await execute({
      schema: this.schema,
      document: operation.document,
      rootValue,
      contextValue: context,
      variableValues: question.variables,
      operationName: operation.definition.name?.value ?? null,
    });
    const actual = Math.min(requested, Math.max(actualCost(question, result.data), 0));
    this.throttle?.refund(requested - actual);
    const extensions = {
      cost: this.costReport(requested, actual),
      ...(context.searches.length > 0 ? { search: context.searches } : {}),
    };
    const errors = result.errors?.map((error) => this.reported(error));
    return { ...(errors ? { errors } : {}), data: result.data ?? null, extensions };
  }

  private check(query: string): CheckedDocument | GraphQLError {
    const known = this.checked.get(query);
    if (known) return known;
    try {
      const document = parse(query);
      const fresh = { document, problems: validate(this.schema, document) };
      if (this.checked.size >= KEPT_DOCUMENTS) this.checked.clear();
      this.checked.set(query, fresh);
      return fresh;
    } catch (error) {
      if (error instanceof GraphQLError) return error;
      throw error;
    }
  }

  private throttled(requested: number): object {
    const documentation = 'https://shopify.dev/api/usage/rate-limits';
    const errors = [{ message: 'Throttled', extensions: { code: 'THROTTLED', documentation } }];
    return { errors, extensions: { cost: this.costReport(requested, null) } };
  }

  private costReport(requested: number, actual: number | null): object {
    const unlimited = { maximumAvailable: 2000, currentlyAvailable: 2000, restoreRate: 100 };
    const throttleStatus = this.throttle?.status() ?? unlimited;
    return { requestedQueryCost: requested, actualQueryCost: actual, throttleStatus };
  }

  /** The sandbox's own failures go to whoever runs it; the caller sees what a real store would answer. */
  private reported(error: GraphQLError): object {
    const { originalError } = error;
    if (!originalError || originalError instanceof GraphQLError) return error.toJSON();
    this.onError(originalError);
    const requestId = randomUUID();
    const message = `Internal error. Looks like something went wrong on our end. Request ID: ${requestId} (include this in support requests).`;
    return { message, extensions: { code: 'INTERNAL_SERVER_ERROR', requestId } };
  }
}

function refused(errors: readonly GraphQLError[]): object {
  return { errors: errors.map((error) => error.toJSON()) };
}

function invalidVariable({ message }: GraphQLError): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'INVALID_VARIABLE' } });
}

function tooExpensive(cost: number): GraphQLError {
  const message = `Query cost is ${cost}, which exceeds the single query max cost limit (${MAX_QUERY_COST}).`;
  const documentation = 'https://shopify.dev/api/usage/rate-limits';
  return new GraphQLError(message, {
    extensions: { code: 'MAX_COST_EXCEEDED', cost, maxCost: MAX_QUERY_COST, documentation },
  });
}
