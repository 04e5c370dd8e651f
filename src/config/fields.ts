import { z } from 'zod';
import { addressProblem, secretAddressProblem } from './addresses.js';
import { withoutTrailing } from '../domain/text.js';
import { nearestName } from './suggestion.js';

/**
 * Building blocks of the configuration schema. Values from the environment are strings, and an empty string means
 * "not set". So numbers and switches are coerced, and optional texts become undefined. Messages say what was
 * expected.
 */

/** A map that rejects unknown keys. When it is missing or null, every key has its default. */
export function section<S extends z.ZodRawShape>(shape: S) {
  return z.preprocess((value: unknown) => value ?? {}, closed(shape)).prefault({});
}

/** A map that rejects unknown keys. */
export function closed<S extends z.ZodRawShape>(shape: S) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const meant = issue.keys.flatMap((key) => nearestName(key, known) ?? []);
      const question = meant.length === 0 ? '' : `did you mean ${meant.join(', ')}? `;
      return `unknown key; ${question}expected one of: ${known.join(', ')}`;
    },
  });
}

/** A map whose keys are names in routes and on the command line. */
export function named<S extends z.ZodType>(entry: S) {
  const name = z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9_-]{0,62}$/i,
      'a name of letters, digits, - and _ (63 at most) that begins with a letter or a digit',
    );
  return z.preprocess((value: unknown) => value ?? {}, z.record(name, entry)).prefault({});
}

/** A language such as `de` or `pt-BR`. */
export const LOCALE_CODE = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

export const text = z.string().min(1);

/** A text that may be missing: absent, null and empty are all undefined. */
export const optionalText = z.preprocess(emptyAsAbsent, z.string().optional()).optional();

export const optionalAddress = z.preprocess(emptyAsAbsent, address().optional()).optional();

/** An address that is itself a credential. It is used as it is, and may have a query. */
export const optionalSecretAddress = z
  .preprocess(
    emptyAsAbsent,
    z
      .string()
      .superRefine((value, context) => {
        const problem = secretAddressProblem(value);
        if (problem !== null) context.addIssue(problem);
      })
      .optional(),
  )
  .optional();

/** The base address of a service, without its trailing slash. */
export function address() {
  return z
    .string()
    .superRefine((value, context) => {
      const problem = addressProblem(value);
      if (problem !== null) context.addIssue(problem);
    })
    .transform((value) => withoutTrailing(value, '/'));
}

/** A number within bounds, also as a string of digits from the environment. */
export function amount(fallback: number, bounds: { min: number; max?: number; whole?: boolean }) {
  const { min, max = Number.MAX_SAFE_INTEGER, whole = true } = bounds;
  const schema = (whole ? z.int() : z.number()).min(min).max(max);
  return z.preprocess(numberFromText, schema.default(fallback)).optional().default(fallback);
}

/** true or false, also as a string from the environment. */
export function onOff(fallback: boolean) {
  return z.preprocess(switchFromText, z.boolean().default(fallback)).optional().default(fallback);
}

function emptyAsAbsent(value: unknown): unknown {
  return value === '' || value === null ? undefined : value;
}

function numberFromText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.trim() === '') return undefined;
  return Number.isNaN(Number(value)) ? value : Number(value);
}

function switchFromText(value: unknown): unknown {
  if (value === '') return undefined;
  if (value === 'true') return true;
  return value === 'false' ? false : value;
}
