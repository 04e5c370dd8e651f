import {
  GraphQLError,
  Kind,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  specifiedRules,
  validate,
  visit,
} from 'graphql';
import type {
  ASTNode,
  DocumentNode,
  GraphQLInputType,
  GraphQLSchema,
  OperationDefinitionNode,
  ValidationRule,
} from 'graphql';
import { parseGid } from './model.js';

/** Codes of the real API by the rule that a document breaks; other rules give none. */
const RULE_CODES: Readonly<Record<string, string>> = {
  FieldsOnCorrectTypeRule: 'undefinedField',
  KnownArgumentNamesRule: 'argumentNotAccepted',
  ProvidedRequiredArgumentsRule: 'missingRequiredArguments',
  ValuesOfCorrectTypeRule: 'argumentLiteralsIncompatible',
  VariablesInAllowedPositionRule: 'variableMismatch',
  NoUnusedVariablesRule: 'variableNotUsed',
  NoUndefinedVariablesRule: 'variableNotDefined',
  ScalarLeafsRule: 'selectionMismatch',
  KnownTypeNamesRule: 'undefinedType',
  KnownFragmentNamesRule: 'useAndDefineFragment',
  NoUnusedFragmentsRule: 'useAndDefineFragment',
};

/** The errors of a document, each with a code and a path such as `["query Name", "product", "id"]`. */
export function documentErrors(schema: GraphQLSchema, document: DocumentNode): GraphQLError[] {
  return [...specifiedRules, GlobalIdsRule].flatMap((rule) => {
    return validate(schema, document, [rule]).map((error) => withPath(error, document, codeOf(rule)));
  });
}

/** An array of more than 250 elements is refused before anything runs. `path` begins with the root field. */
export function oversizedInput(
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

/** INVALID_VARIABLE for the first variable that holds a malformed id, deep inside inputs too. */
export function invalidIdVariable(
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  typeOf: (name: string) => GraphQLInputType | undefined,
): GraphQLError | null {
  for (const definition of operation.variableDefinitions ?? []) {
    const name = definition.variable.name.value;
    const type = typeOf(name);
    const bad = type ? badId(type, variables[name], []) : null;
    if (!bad) continue;
    const explanation = `Invalid global id '${bad.id}'`;
    return new GraphQLError(`Variable $${name} of type ${String(type)} was provided invalid value`, {
      nodes: [definition],
      extensions: {
        code: 'INVALID_VARIABLE',
        value: variables[name],
        problems: [{ path: bad.path, explanation, message: explanation }],
      },
    });
  }
  return null;
}

/** Ids written into a document are checked as those in variables are. */
const GlobalIdsRule: ValidationRule = (context) => ({
  StringValue(node) {
    const type = context.getInputType();
    if (!type || getNamedType(type).name !== 'ID' || parseGid(node.value)) return;
    const message = `Invalid global id '${node.value}'`;
    context.reportError(
      new GraphQLError(message, { nodes: [node], extensions: { typeName: 'CoercionError' } }),
    );
  },
});

function codeOf(rule: ValidationRule): string | null {
  return rule === GlobalIdsRule ? 'argumentLiteralsIncompatible' : (RULE_CODES[rule.name] ?? null);
}

function withPath(error: GraphQLError, document: DocumentNode, code: string | null): GraphQLError {
  const [node] = error.nodes ?? [];
  const path = node ? pathTo(node, document) : [];
  const extensions = { ...(code === null ? {} : { code }), ...error.extensions };
  return new GraphQLError(error.message, { nodes: error.nodes ?? null, path, extensions });
}

/** Operation or fragment, then fields and arguments, down to the node. */
function pathTo(target: ASTNode, document: DocumentNode): string[] {
  let found: string[] = [];
  visit(document, {
    enter(node, _key, parent, _path, ancestors) {
      if (node !== target) return;
      const chain = [...ancestors, parent, node].filter(isNode);
      found = chain.flatMap(stepOf);
    },
  });
  return found;
}

function isNode(value: ASTNode | readonly ASTNode[] | undefined): value is ASTNode {
  return value !== undefined && 'kind' in value;
}

function stepOf(node: ASTNode): string[] {
  if (node.kind === Kind.OPERATION_DEFINITION)
    return [[node.operation, node.name?.value].filter(Boolean).join(' ')];
  if (node.kind === Kind.FRAGMENT_DEFINITION) return [`fragment ${node.name.value}`];
  if (node.kind === Kind.INLINE_FRAGMENT)
    return node.typeCondition ? [`... on ${node.typeCondition.name.value}`] : ['...'];
  if (node.kind === Kind.FIELD) return [node.alias?.value ?? node.name.value];
  return node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD ? [node.name.value] : [];
}

function badId(
  type: GraphQLInputType,
  value: unknown,
  path: readonly (string | number)[],
): { id: string; path: readonly (string | number)[] } | null {
  if (value === null || value === undefined) return null;
  if (isNonNullType(type)) return badId(type.ofType, value, path);
  if (isListType(type)) {
    const items: unknown[] = Array.isArray(value) ? value : [value];
    return firstOf(items.entries(), ([index, item]) => badId(type.ofType, item, [...path, index]));
  }
  if (isInputObjectType(type)) {
    const given = value as Readonly<Record<string, unknown>>;
    return firstOf(Object.values(type.getFields()), (field) =>
      badId(field.type, given[field.name], [...path, field.name]),
    );
  }
  if (type.name !== 'ID') return null;
  // The executor has made text of numbers already.
  const id = typeof value === 'string' ? value : JSON.stringify(value);
  return parseGid(id) ? null : { id, path };
}

function firstOf<Item, Found>(items: Iterable<Item>, find: (item: Item) => Found | null): Found | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}
