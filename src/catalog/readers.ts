import type { z } from 'zod';
import type { CodedError } from '../domain/errors.js';
import type { OutgoingAnswer } from '../runtime/outgoing-http.js';
import { productSchema, type CatalogProduct } from './schemas.js';
import { readUntrustedJson } from '../runtime/untrusted-json.js';

type Reader<T> = (answer: OutgoingAnswer, unusable: (problem: string) => CodedError) => T;

export function isEmpty(answer: OutgoingAnswer): boolean {
  return answer.body.length === 0 || new TextDecoder().decode(answer.body.subarray(0, 64)).trim() === '';
}

/** The response as JSON of any shape. `whenEmpty`, if given, replaces an empty body. */
export function readAnyJson(whenEmpty?: unknown): Reader<unknown> {
  return (answer, unusable) => {
    if (isEmpty(answer)) {
      if (whenEmpty === undefined) throw unusable('an empty body');
      return whenEmpty;
    }
    const json = readUntrustedJson(answer.body);
    if (!json.ok) throw unusable('a body that is no JSON');
    return json.value;
  };
}

/** The response as JSON of the schema's shape. */
export function readJson<Schema extends z.ZodType>(schema: Schema): Reader<z.output<Schema>> {
  const readAny = readAnyJson();
  return (answer, unusable) => parseShape(schema, readAny(answer, unusable), unusable);
}

export function parseShape<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  unusable: (problem: string) => CodedError,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where =
    issue === undefined || issue.path.length === 0 ? '' : ` (at ${issue.path.map(String).join('.')})`;
  throw unusable(`a body of another shape${where}`);
}

export const readProduct: Reader<CatalogProduct> = readJson(productSchema);

/** Accepts any 2xx, and ignores the body. */
export const ignoreBody: Reader<undefined> = () => undefined;
