import { Get } from '@nestjs/common';
import { ApiController } from './api-routes.js';
import { Allow } from './allow.js';
import { Describe } from './describe.js';
import { StatusReader, statusSchema, type Status } from '../operations/status.js';

@ApiController('api/v1/status')
export class StatusController {
  constructor(private readonly reader: StatusReader) {}

  @Describe({
    summary: 'Stores, last runs, backlog, dead letters, credits',
    answer: { name: 'Status', schema: statusSchema },
  })
  @Get()
  @Allow('viewer')
  show(): Promise<Status> {
    return this.reader.read();
  }
}
