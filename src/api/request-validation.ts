import {
  BadRequestException,
  Injectable,
  StandardSchemaValidationPipe,
  type ArgumentMetadata,
} from '@nestjs/common';
import { z } from 'zod';
import { issueMessage } from '../operations/issue-text.js';
import { fieldNames } from './validated-body.js';

/**
 * Reads queries and bodies by the schema of their argument (`@Body({ schema })`). What does not fit is a 400 that names each key. An absent
 * body counts as an empty one.
 */
@Injectable()
export class RequestValidation extends StandardSchemaValidationPipe {
  constructor() {
    super({
      exceptionFactory: (issues) =>
        new BadRequestException({
          message: 'the request is invalid: see details',
          details: issues.map(({ path = [], message }) => ({ path: path.map(String).join('.'), message })),
        }),
    });
  }

  protected override async validate<T>(value: unknown, schema: NonNullable<ArgumentMetadata['schema']>) {
    const given = value ?? {};
    const result = await super.validate<T>(given, schema);
    if (result.issues === undefined || !(schema instanceof z.ZodType)) return result;
    const { error } = schema.safeParse(given);
    const known = fieldNames(schema);
    return {
      issues: (error?.issues ?? []).map((issue) => ({
        path: issue.path,
        message: issueMessage(issue, known),
      })),
    };
  }
}
