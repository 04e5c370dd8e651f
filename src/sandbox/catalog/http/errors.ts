import type { z } from 'zod';

/** Field name (dotted where it is nested) to human-readable messages: docs/catalog-rules.md#errors. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** An answer that is not a success. `body` is what the client gets. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly body: FieldErrors | { readonly detail: string },
  ) {
    super(JSON.stringify(body));
  }
}

export class FieldValidationError extends ApiError {
  constructor(readonly fields: FieldErrors) {
    super(400, fields);
  }
}

export function unauthorized(detail: string): ApiError {
  return new ApiError(401, { detail });
}

export function forbidden(detail: string): ApiError {
  return new ApiError(403, { detail });
}

export function notFound(): ApiError {
  return new ApiError(404, { detail: 'Not found.' });
}

export function methodNotAllowed(method: string): ApiError {
  return new ApiError(405, { detail: `Method "${method}" not allowed.` });
}

export function unsupportedMediaType(detail: string): ApiError {
  return new ApiError(415, { detail });
}

/** Parses a body or a query; problems are reported field by field. */
export function parseOrRefuse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value, {
    error: (issue) => (issue.input === undefined ? 'This field is required.' : undefined),
  });
  if (parsed.success) return parsed.data;
  throw new FieldValidationError(fieldErrors(parsed.error));
}

function fieldErrors(error: z.ZodError): FieldErrors {
  const fields: Record<string, string[]> = {};
  for (const issue of error.issues) {
    const field = issue.path.length === 0 ? 'non_field_errors' : issue.path.map(String).join('.');
    (fields[field] ??= []).push(issue.message);
  }
  return fields;
}
