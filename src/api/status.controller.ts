import { Controller, Get, UseGuards } from '@nestjs/common';
import { AdminGuard } from './admin.guard.js';
import { StatusReader, type Status } from '../operations/status.js';

@Controller('api/v1/status')
@UseGuards(AdminGuard)
export class StatusController {
  constructor(private readonly reader: StatusReader) {}

  @Get()
  show(): Promise<Status> {
    return this.reader.read();
  }
}
