import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  getNamedType,
  isCompositeType,
  isListType,
  isNonNullType,
  parse,
  validate,
} from 'graphql';
import type {
  DocumentNode,
  FieldNode,
  GraphQLNamedType,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';
import { SelectedFields } from './selected-fields.js';

/** A connection of an export's query, with those inside its nodes. */
export interface ConnectionPlan {
  /** Response keys that lead from the node (or the root) to the connection. */
  readonly path: readonly string[];
  readonly children: readonly ConnectionPlan[];
}

export interface BulkQueryPlan {
  readonly document: DocumentNode;
  readonly connections: readonly ConnectionPlan[];
}

const MAX_QUERY_BYTES = 65_535;
const MAX_CONNECTIONS = 5;
const MAX_NESTING = 2;

interface Found {
  readonly name: string;
  readonly depth: number;
  readonly withinList: boolean;
  readonly selectsNodes: boolean;
  /** Set for a connection with connections inside, whose nodes do not select their id. */
  readonly lacksId: boolean;
}

/** The plan of an export, or all reasons why the store refuses its text. */
export function planBulkQuery(schema: GraphQLSchema, text: string): BulkQueryPlan | { problems: string[] } {
  if (Buffer.byteLength(text) > MAX_QUERY_BYTES)
    return { problems: [`Query must be at most ${MAX_QUERY_BYTES} bytes long.`] };
  const document = parsedOrProblem(text);
  if (typeof document === 'string') return { problems: [document] };
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations;
  if (!operation || operations.length > 1)
    return { problems: ['Bulk queries must contain exactly one operation.'] };
  if (operation.operation !== OperationTypeNode.QUERY) {
    return { problems: ['Invalid operation type. Only `query` operations are supported.'] };
  }
  const errors = validate(schema, document);
  if (errors.length > 0) return { problems: errors.map((error) => `Invalid bulk query: ${error.message}`) };
  const walk = new Walk(schema, document);
  const connections = walk.root(operation);
  const problems = [...topLevelProblems(operation), ...walk.problems()];
  return problems.length > 0 ? { problems } : { document, connections };
}

/** Collects the connections of a query and what is wrong with them. */
class Walk {
  private readonly selected: SelectedFields;
  private readonly found: Found[] = [];

  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
  ) {
    this.selected = new SelectedFields(schema, document);
  }

  root(operation: OperationDefinitionNode): ConnectionPlan[] {
    const type = this.schema.getQueryType();
    return type ? this.within(operation.selectionSet, type, { depth: 0, withinList: false }) : [];
  }

  problems(): string[] {
    const problems: string[] = [];
    const named = (test: (each: Found) => boolean): string[] => [
      ...new Set(this.found.filter(test).map((each) => each.name)),
    ];
    const withNodes = named((each) => each.selectsNodes);
    if (withNodes[0] !== undefined) {
      problems.push(
        "All connection fields in a bulk query must select their contents using 'edges' > 'node', e.g: " +
          `'${withNodes[0]} { edges { node {'. Selecting via 'nodes' is not supported. ` +
          `Invalid connection fields: ${withNodes.map((name) => `'${name}'`).join(', ')}.`,
      );
    }
    if (this.found.length === 0) problems.push('Bulk queries must contain at least one connection.');
    if (this.found.length > MAX_CONNECTIONS)
      problems.push(`Bulk queries cannot contain more than ${MAX_CONNECTIONS} connections.`);
    if (this.found.some((each) => each.depth > MAX_NESTING)) {
      problems.push(
        `Bulk queries cannot contain connections with a nesting depth greater than ${MAX_NESTING}.`,
      );
    }
    const lacking = named((each) => each.lacksId);
    if (lacking.length > 0) {
      problems.push(
        "The parent 'node' field for a nested connection must select the 'id' field without an alias and must be of " +
          `'ID' return type. Connection fields without 'id': ${lacking.join(', ')}.`,
      );
    }
    if (this.found.some((each) => each.withinList)) {
      problems.push(
        'Queries that contain a connection field within a list field are not currently supported.',
      );
    }
    return problems;
  }

  private within(
    selections: SelectionSetNode,
    type: GraphQLNamedType,
    place: { readonly depth: number; readonly withinList: boolean },
  ): ConnectionPlan[] {
    return this.selected.of(selections, type).flatMap(({ field, returns }): ConnectionPlan[] => {
      const named = getNamedType(returns);
      if (!field.selectionSet || !isCompositeType(named)) return [];
      const key = field.alias?.value ?? field.name.value;
      if (named.name.endsWith('Connection')) return [this.connection(field, key, named, place)];
      const inner = { depth: place.depth, withinList: place.withinList || isList(returns) };
      return this.within(field.selectionSet, named, inner).map((plan) => ({
        ...plan,
        path: [key, ...plan.path],
      }));
    });
  }

  private connection(
    field: FieldNode,
    key: string,
    type: GraphQLNamedType,
    place: { readonly depth: number; readonly withinList: boolean },
  ): ConnectionPlan {
    const at = this.found.length;
    const parts = this.selected.of(field.selectionSet, type);
    const nodes = parts
      .filter((part) => part.field.name.value === 'edges')
      .flatMap((edges) => {
        const inside = this.selected.of(edges.field.selectionSet, getNamedType(edges.returns));
        return inside.filter((part) => part.field.name.value === 'node');
      });
    const selected = nodes.flatMap((node) =>
      node.field.selectionSet ? [{ set: node.field.selectionSet, type: getNamedType(node.returns) }] : [],
    );
    const children = selected.flatMap(({ set, type: nodeType }) =>
      this.within(set, nodeType, { depth: place.depth + 1, withinList: false }),
    );
    const selectsId = selected.some(({ set, type: nodeType }) =>
      this.selected.of(set, nodeType).some((part) => part.field.name.value === 'id' && !part.field.alias),
    );
    // Parents go before their children, as the messages list them.
    this.found.splice(at, 0, {
      name: field.name.value,
      depth: place.depth,
      withinList: place.withinList,
      selectsNodes: parts.some((part) => part.field.name.value === 'nodes'),
      lacksId: children.length > 0 && !selectsId,
    });
    return { path: [key], children };
  }
}

function topLevelProblems(operation: OperationDefinitionNode): string[] {
  const names = operation.selectionSet.selections.flatMap((each) =>
    each.kind === Kind.FIELD ? [each.name.value] : [],
  );
  return ['node', 'nodes']
    .filter((name) => names.includes(name))
    .map((name) => `Bulk queries cannot contain a top level \`${name}\` field.`);
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}

function parsedOrProblem(text: string): DocumentNode | string {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof GraphQLError) return `Invalid bulk query: ${error.message}`;
    throw error;
  }
}
