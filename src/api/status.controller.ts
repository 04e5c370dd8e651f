import { Controller, Get, UseGuards } from '@nestjs/common';
import { Allow } from './allow.js';
import { AdminGuard } from './admin.guard.js';
import { Describe } from './describe.js';
import { StatusReader, statusSchema, type Status } from '../operations/status.js';

@Controller('api/v1/status')
@UseGuards(AdminGuard)
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
