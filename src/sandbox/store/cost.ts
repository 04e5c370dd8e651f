import {
  Kind,
  OperationTypeNode,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import type {
  FieldNode,
  GraphQLNamedType,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';

/*
 * Costs as recorded from real stores. A scalar is free, an object costs 1, a mutation 10 including its payload's own
 * objects. A connection costs 2 and about 2 ln n times its node. `nodes` and `edges` together pay twice;
 * `nodes(ids:)` is 1 whatever the number; counts at the root are 10; `measurement` and `weight` are free.
 */

const FREE_FIELDS = ['measurement', 'weight', 'pageInfo'];
const ROOT_COUNT_COST = 10;
const MUTATION_COST = 10;
const CONNECTION_COST = 2;

export interface CostQuestion {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Points that the operation asks for, before anything is known of its answer. */
export function requestedCost(question: CostQuestion): number {
  return new Costing(question).operation(null);
}

/** Points that an answer used: absent objects are free, connections count what they really hold. */
export function actualCost(question: CostQuestion, data: unknown): number {
  return new Costing(question).operation({ data });
}

/** Present when an answer is weighed, null when a request is. */
type Answer = { readonly data: unknown } | null;

class Costing {
  constructor(private readonly question: CostQuestion) {}

  operation(answer: Answer): number {
    const { schema, operation } = this.question;
    const root = schema.getRootType(operation.operation);
    if (!root) return 0;
    const isMutation = operation.operation === OperationTypeNode.MUTATION;
    const costs = this.fieldsOf(operation.selectionSet, root).map(({ field, returns }) => {
      const below = answerBelow(answer, field);
      if (isMutation) return MUTATION_COST + this.payload(field, returns, below);
      if (getNamedType(returns).name === 'Count') return isAbsent(below) ? 0 : ROOT_COUNT_COST;
      return this.field(field, returns, below);
    });
    return sum(costs);
  }

  private payload(field: FieldNode, returns: GraphQLOutputType, answer: Answer): number {
    const type = getNamedType(returns);
    if (!field.selectionSet || isAbsent(answer)) return 0;
    const costs = this.fieldsOf(field.selectionSet, type).map((part) => {
      const below = answerBelow(answer, part.field);
      const cost = this.field(part.field, part.returns, below);
      return isComposite(part.returns) && cost > 0 ? cost - 1 : cost;
    });
    return sum(costs);
  }

  private field(field: FieldNode, returns: GraphQLOutputType, answer: Answer): number {
    const type = getNamedType(returns);
    if (!isCompositeType(type) || !field.selectionSet || isAbsent(answer)) return 0;
    if (type.name.endsWith('Connection')) return this.connection(field, type, answer);
    const own = FREE_FIELDS.includes(field.name.value) ? 0 : 1;
    return own + this.children(field.selectionSet, type, answer);
  }

  private connection(field: FieldNode, type: GraphQLNamedType, answer: Answer): number {
    const parts = field.selectionSet ? this.fieldsOf(field.selectionSet, type) : [];
    const costs = parts
      .filter((part) => part.field.name.value === 'nodes' || part.field.name.value === 'edges')
      .map((part) => {
        const below = answerBelow(answer, part.field);
        const count =
          below === null ? this.pageSize(field) : Array.isArray(below.data) ? below.data.length : 0;
        if (count === 0 || !part.field.selectionSet) return 0;
        const inner = this.children(part.field.selectionSet, getNamedType(part.returns), below);
        // Below `edges` the node counts itself; below `nodes` nothing does.
        const each = part.field.name.value === 'nodes' ? 1 + inner : Math.max(inner, 1);
        return Math.max(1, Math.floor(2 * Math.log(count))) * each;
      });
    return CONNECTION_COST + sum(costs);
  }

  /** Of a list of objects the dearest counts. */
  private children(selections: SelectionSetNode, type: GraphQLNamedType, answer: Answer): number {
    if (answer && Array.isArray(answer.data)) {
      const items: unknown[] = answer.data;
      return Math.max(0, ...items.map((data) => this.children(selections, type, { data })));
    }
    return sum(
      this.fieldsOf(selections, type).map((part) =>
        this.field(part.field, part.returns, answerBelow(answer, part.field)),
      ),
    );
  }

  private pageSize(field: FieldNode): number {
    const value = field.arguments?.find(({ name }) => name.value === 'first')?.value;
    if (value?.kind === Kind.INT) return Number(value.value);
    const given = value?.kind === Kind.VARIABLE ? this.question.variables[value.name.value] : 0;
    return typeof given === 'number' ? given : 0;
  }

  /**
   * The fields of a selection, those of inline fragments included; store-sync uses no others. Fields that the type does not have
   * (`__typename`) are left out.
   */
  private fieldsOf({ selections }: SelectionSetNode, type: GraphQLNamedType): SelectedField[] {
    return selections.flatMap((selection): SelectedField[] => {
      if (selection.kind === Kind.FIELD) {
        const hasFields = isObjectType(type) || isInterfaceType(type);
        const definition = hasFields ? type.getFields()[selection.name.value] : undefined;
        return definition ? [{ field: selection, returns: definition.type }] : [];
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) return [];
      const name = selection.typeCondition?.name.value;
      const narrowed = name === undefined ? type : this.question.schema.getType(name);
      return narrowed ? this.fieldsOf(selection.selectionSet, narrowed) : [];
    });
  }
}

interface SelectedField {
  readonly field: FieldNode;
  readonly returns: GraphQLOutputType;
}

function answerBelow(answer: Answer, field: FieldNode): Answer {
  if (!answer) return null;
  const { data } = answer;
  const key = field.alias?.value ?? field.name.value;
  const isObject = typeof data === 'object' && data !== null && key in data;
  return { data: isObject ? (data as Readonly<Record<string, unknown>>)[key] : undefined };
}

function isAbsent(answer: Answer): boolean {
  return answer !== null && (answer.data === null || answer.data === undefined);
}

function isComposite(type: GraphQLOutputType): boolean {
  return isCompositeType(getNamedType(type));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
