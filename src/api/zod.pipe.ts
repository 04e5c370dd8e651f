import { BadRequestException, type PipeTransform } from '@nestjs/common';
import { z } from 'zod';
import { issueMessage } from '../operations/issue-text.js';

/** Parses a query or a body; what does not fit is a 400 that names each key. An absent body counts as an empty one. */
export class ZodPipe<Schema extends z.ZodType> implements PipeTransform<unknown, z.output<Schema>> {
  /** `name`: what the OpenAPI document calls the schema; a body needs one. */
  constructor(
    readonly schema: Schema,
    readonly name?: string,
  ) {}

  transform(value: unknown): z.output<Schema> {
    const parsed = this.schema.safeParse(value ?? {});
    if (parsed.success) return parsed.data;
    throw new BadRequestException({
      message: 'the request is invalid: see details',
      details: parsed.error.issues.map((issue) => ({
        path: issue.path.join('.'),
        message: issueMessage(issue, keysOf(this.schema)),
      })),
    });
  }
}

/** The names that a query or a body may have; none where the schema is not an object. */
function keysOf(schema: z.core.$ZodType): string[] {
  if (schema instanceof z.ZodPipe) return keysOf(schema.out);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}
