import { Controller, Get, Param, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { BearerGuard, RequiresScope } from '../auth/bearer.guard.js';
import { forbidden, notFound } from '../http/errors.js';
import { pageOfResults, pageRequest, type Page } from '../http/pages.js';
import { SandboxSettings } from '../settings.js';
import { TaskStore, type TaskView } from './task-store.js';

/** docs/catalog-rules.md#background-tasks. */
@Controller('background-tasks')
@UseGuards(BearerGuard)
@RequiresScope('tasks')
export class TasksController {
  constructor(
    private readonly tasks: TaskStore,
    private readonly settings: SandboxSettings,
  ) {}

  @Get()
  async list(@Req() request: Request): Promise<Page<TaskView>> {
    this.requireReadable();
    const page = pageRequest(request.originalUrl, this.settings.pageSize);
    const { count, results } = await this.tasks.list(page);
    return pageOfResults(request, page, count, results);
  }

  @Get(':id')
  async get(@Param('id') id: string): Promise<TaskView> {
    this.requireReadable();
    const task = /^\d{1,9}$/.test(id) ? await this.tasks.find(Number(id)) : undefined;
    if (task === undefined) throw notFound();
    return task;
  }

  private requireReadable(): void {
    const { tasks } = this.settings.readings;
    if (tasks === 'forbidden') throw forbidden('You do not have permission to perform this action.');
    if (tasks !== 'readable') throw notFound();
  }
}
