import {
  Body,
  Controller,
  HttpCode,
  Post,
  Req,
  UploadedFile,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import type { Request } from 'express';
import { z } from 'zod';
import { BearerGuard, RequiresScope } from '../auth/bearer.guard.js';
import { SandboxDatabase } from '../database.js';
import { FieldValidationError } from '../http/errors.js';
import { requestLocale } from '../http/query.js';
import { SandboxSettings } from '../settings.js';
import { TaskStore } from '../tasks/task-store.js';
import { readCsv, uploadedText } from './csv-import.js';

const uploaded = z.object({ buffer: z.instanceof(Uint8Array) });

/** docs/catalog-rules.md#csv-upload-of-products: the file as the multipart field `file`, or as a text/csv body. */
@Controller('products/upload-csv')
@UseGuards(BearerGuard)
@RequiresScope('products')
export class CsvUploadController {
  constructor(
    private readonly database: SandboxDatabase,
    private readonly tasks: TaskStore,
    private readonly settings: SandboxSettings,
  ) {}

  @Post()
  @HttpCode(202)
  @UseInterceptors(FileInterceptor('file'))
  async upload(
    @Req() request: Request,
    @UploadedFile() file: unknown,
    @Body() body: unknown,
  ): Promise<{ task_id: string }> {
    const locale = requestLocale(request.originalUrl, this.settings.defaultLocale);
    const bytes = Buffer.isBuffer(body) ? body : uploaded.safeParse(file).data?.buffer;
    if (bytes === undefined) throw new FieldValidationError({ file: ['No file was submitted.'] });
    const text = uploadedText(bytes);
    readCsv(text);
    const taskId = await this.tasks.add(this.database, 'csv_upload', { locale, text });
    return { task_id: String(taskId) };
  }
}
