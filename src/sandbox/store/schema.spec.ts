import { describe, expect, it } from '@jest/globals';
import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  parse,
  validate,
} from 'graphql';
import type {
  GraphQLArgument,
  GraphQLField,
  GraphQLInputField,
  GraphQLNamedType,
  GraphQLSchema,
} from 'graphql';
import { realSchema, storeDocuments } from '../../../test/support/store/admin-api.js';
import { bulkProductsText } from '../../store/shopify/documents.js';
import { loadSchema } from './schema.js';

const DOCUMENTS = await storeDocuments();

type Member = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLArgument;

/** Everything in which a part of the schema differs from the real one, as `Type.field(argument): what`. */
function differences(own: GraphQLSchema, real: GraphQLSchema): string[] {
  const types = Object.values(own.getTypeMap()).filter((type) => !type.name.startsWith('__'));
  return types.flatMap((type) => {
    const original = real.getType(type.name);
    return original ? typeDifferences(type, original) : [`${type.name}: does not exist`];
  });
}

function typeDifferences(own: GraphQLNamedType, original: GraphQLNamedType): string[] {
  if (own.constructor !== original.constructor) return [`${own.name}: is another kind of type`];
  if (isEnumType(own) && isEnumType(original)) {
    const missing = own.getValues().filter((value) => !original.getValue(value.name));
    return missing.map((value) => `${own.name}.${value.name}: does not exist`);
  }
  if (isInputObjectType(own) && isInputObjectType(original)) {
    const required = Object.values(original.getFields()).filter(isRequiredInputField);
    const left = required
      .filter((field) => !own.getFields()[field.name])
      .map((field) => `${own.name}.${field.name}: is required`);
    return [...left, ...membersDifferences(own.name, Object.values(own.getFields()), original.getFields())];
  }
  if ((isObjectType(own) || isInterfaceType(own)) && (isObjectType(original) || isInterfaceType(original))) {
    const interfaces = original.getInterfaces().map((each) => each.name);
    const foreign = own.getInterfaces().filter((each) => !interfaces.includes(each.name));
    return [
      ...foreign.map((each) => `${own.name}: does not implement ${each.name}`),
      ...membersDifferences(own.name, Object.values(own.getFields()), original.getFields()),
      ...Object.values(own.getFields()).flatMap((field) => {
        const realArgs = original.getFields()[field.name]?.args ?? [];
        const byName = Object.fromEntries(realArgs.map((argument) => [argument.name, argument]));
        const required = realArgs.filter(
          (each) => isRequiredArgument(each) && !field.args.some(({ name }) => name === each.name),
        );
        return [
          ...required.map((each) => `${own.name}.${field.name}(${each.name}): is required`),
          ...membersDifferences(`${own.name}.${field.name}`, field.args, byName),
        ];
      }),
    ];
  }
  return [];
}

function membersDifferences(
  owner: string,
  members: readonly Member[],
  originals: Readonly<Record<string, Member>>,
): string[] {
  return members.flatMap((member) => {
    const original = originals[member.name];
    if (!original) return [`${owner}.${member.name}: does not exist`];
    const [given, wanted] = [String(member.type), String(original.type)];
    const defaults = [member, original].map((each) =>
      'defaultValue' in each ? JSON.stringify(each.defaultValue) : '',
    );
    if (given !== wanted) return [`${owner}.${member.name}: ${given} instead of ${wanted}`];
    return defaults[0] === defaults[1] ? [] : [`${owner}.${member.name}: another default`];
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

  it('has what store-sync asks by an export', () => {
    expect(validate(own, parse(bulkProductsText('', ['ids.mpn'], ['de'], ['de'])))).toEqual([]);
  });
});
