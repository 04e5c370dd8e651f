import {
  Controller,
  Get,
  NotFoundException,
  Param,
  Post,
  Req,
  Res,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { actorNameOf, Allow } from '../../api/allow.js';
import { Audited } from '../../api/audit.interceptor.js';
import { Reports, type Report, type ReportKind } from '../../operations/reports.js';
import { SyncCosts } from '../../operations/sync-cost.js';
import { Connections, type Store } from '../../connections/connections.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { seeOther, SessionGuard, visitorOf } from '../session.guard.js';
import { Sessions } from '../session.js';
import { checkPage, generateQuestionPage, reportFragment, reportPage } from '../views/reports.js';
import { unknownStore } from '../views/problem.js';

/** Work that takes longer than a page: checks, looks for drift and generation of all that is missing. */
@Controller()
@UseGuards(SessionGuard)
@UseFilters(PageErrorFilter)
export class ReportPages {
  constructor(
    private readonly sessions: Sessions,
    private readonly reports: Reports,
    private readonly costs: SyncCosts,
    private readonly connections: Connections,
  ) {}

  @Get('check')
  @Allow('viewer')
  async check(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<string> {
    const newest = await this.reports.newest('check', '');
    return checkPage(visitorOf(this.sessions, request, response), newest);
  }

  @Post('check')
  @Allow('admin')
  @Audited('check')
  async runCheck(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.#start('check', '', request, response);
  }

  @Post('stores/:key/drift')
  @Allow('admin')
  @Audited('drift')
  async drift(@Param('key') key: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    await this.#start('drift', this.#store(key).key, request, response);
  }

  /** The question first: content costs credits. */
  @Get('stores/:key/generate')
  @Allow('viewer')
  async question(
    @Param('key') key: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const store = this.#store(key);
    const cost = await this.costs.ofMissing(store);
    return generateQuestionPage(visitorOf(this.sessions, request, response), {
      store: key,
      products: null,
      cost,
    });
  }

  @Post('stores/:key/generate')
  @Allow('admin')
  @Audited('generate')
  async generate(
    @Param('key') key: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.#start('generate', this.#store(key).key, request, response);
  }

  @Get('reports/:id')
  @Allow('viewer')
  async show(
    @Param('id') id: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return reportPage(visitorOf(this.sessions, request, response), await this.#known(id));
  }

  /** Only the changing part of the page, for its script. */
  @Get('reports/:id/progress')
  @Allow('viewer')
  async progress(@Param('id') id: string): Promise<string> {
    return reportFragment(await this.#known(id)).text;
  }

  async #start(kind: ReportKind, store: string, request: Request, response: Response): Promise<void> {
    const { id } = await this.reports.start(kind, store, actorNameOf(request));
    const to = kind === 'check' ? '/check' : `/reports/${id}`;
    await seeOther(this.sessions, request, response, to, 'It has begun. The result appears here.');
  }

  async #known(id: string): Promise<Report> {
    const report = await this.reports.show(id);
    if (report === null) throw new NotFoundException(`No report found for “${id.slice(0, 100)}”.`);
    return report;
  }

  #store(key: string): Store {
    const store = this.connections.findStore(key);
    if (!store) throw new NotFoundException(unknownStore(key.slice(0, 100)));
    return store;
  }
}
