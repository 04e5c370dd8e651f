import { BadRequestException, type PipeTransform } from '@nestjs/common';
import type { z } from 'zod';
import { messages } from './messages.js';

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
      message: messages.requestInvalid,
      details: parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message })),
    });
  }
}
