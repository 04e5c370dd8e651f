import { describe, expect, it } from '@jest/globals';
import {
  BreakingChangeType,
  findBreakingChanges,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { realSchema, storeDocuments } from '../../../test/support/store/admin-api.js';
import { bulkProductsText } from '../../store/shopify/documents.js';
import { loadSchema } from './schema.js';

const EXPORT = { name: 'an export', text: bulkProductsText('', ['ids.mpn'], ['de'], ['de']) };
const DOCUMENTS = [...(await storeDocuments()), EXPORT];

/** Everything in which a part of the schema differs from the real one. What the real one has besides is no difference. */
function differences(own: GraphQLSchema, real: GraphQLSchema): string[] {
  const { FIELD_CHANGED_KIND, ARG_CHANGED_KIND } = BreakingChangeType;
  const missing = findBreakingChanges(own, real).filter(({ type }) => !type.startsWith('DIRECTIVE'));
  // A change that is safe in one direction, such as a text that is never null any more, is breaking in the other one.
  const changed = findBreakingChanges(real, own).filter(
    ({ type }) => type === FIELD_CHANGED_KIND || type === ARG_CHANGED_KIND,
  );
  const wanted = new Map(defaultsOf(real));
  const defaults = defaultsOf(own).filter(([place, value]) => wanted.get(place) !== value);
  return [
    ...[...missing, ...changed].map(({ description }) => description),
    ...defaults.map(([place]) => `${place} has another default value`),
  ];
}

/** The default value of every argument and input field, as JSON. */
function defaultsOf(schema: GraphQLSchema): [string, string | undefined][] {
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    if (type.name.startsWith('__')) return [];
    if (!isInputObjectType(type) && !isObjectType(type) && !isInterfaceType(type)) return [];
    const fields: (GraphQLField<unknown, unknown> | GraphQLInputField)[] = Object.values(type.getFields());
    return fields.flatMap((field) => {
      const members: readonly (GraphQLArgument | GraphQLInputField)[] =
        'args' in field ? field.args : [field];
      return members.map(({ name, defaultValue }): [string, string | undefined] => [
        `${type.name}.${field.name}.${name}`,
        JSON.stringify(defaultValue),
      ]);
    });
  });
}

describe("the sandbox store's schema", () => {
  const real = realSchema();
  const own = loadSchema();

  it('is a part of the real Admin schema: every type, field, argument, default and enum value stands there', () => {
    expect(differences(own, real)).toEqual([]);
  });

  it('would be caught with a field, type or argument that the real schema lacks', () => {
    expect(differences(real, own).length).toBeGreaterThan(100);
  });

  it.each(DOCUMENTS.map(({ name, text }) => [name, text]))(
    'has what store-sync asks by %s',
    (_name, text) => {
      expect(validate(own, parse(text))).toEqual([]);
    },
  );
});
