import { Get, NotFoundException, Param } from '@nestjs/common';
import { Allow } from '../../api/allow.js';
import { Reports, type Report, type ReportKind } from '../../operations/reports.js';
import { SyncCosts } from '../../operations/sync-cost.js';
import { Connections } from '../../connections/connections.js';
import { Form, Pages } from '../page-routes.js';
import { ThisVisit, ThisVisitor, type NextPage, type Visit, type Visitor } from '../visit.js';
import { checkPage, generateQuestionPage, reportFragment, reportPage } from '../views/reports.js';

/** Work that takes longer than a page: checks, looks for drift and generation of all that is missing. */
@Pages()
export class ReportPages {
  constructor(
    private readonly reports: Reports,
    private readonly costs: SyncCosts,
    private readonly connections: Connections,
  ) {}

  @Get('check')
  @Allow('viewer')
  async check(@ThisVisitor() visitor: Visitor): Promise<string> {
    const newest = await this.reports.newest('check', '');
    return checkPage(visitor, newest);
  }

  @Form('check', 'admin', 'check')
  async runCheck(@ThisVisit() visit: Visit): Promise<NextPage> {
    return this.#start('check', '', visit);
  }

  @Form('stores/:key/drift', 'admin', 'drift')
  async drift(@Param('key') key: string, @ThisVisit() visit: Visit): Promise<NextPage> {
    return this.#start('drift', this.connections.namedStore(key).key, visit);
  }

  /** The question first: content costs credits. */
  @Get('stores/:key/generate')
  @Allow('viewer')
  async question(@Param('key') key: string, @ThisVisitor() visitor: Visitor): Promise<string> {
    const store = this.connections.namedStore(key);
    const cost = await this.costs.ofMissing(store);
    return generateQuestionPage(visitor, {
      store: key,
      products: null,
      cost,
    });
  }

  @Form('stores/:key/generate', 'admin', 'generate')
  async generate(@Param('key') key: string, @ThisVisit() visit: Visit): Promise<NextPage> {
    return this.#start('generate', this.connections.namedStore(key).key, visit);
  }

  @Get('reports/:id')
  @Allow('viewer')
  async show(@Param('id') id: string, @ThisVisitor() visitor: Visitor): Promise<string> {
    return reportPage(visitor, await this.#known(id));
  }

  /** Only the changing part of the page, for its script. */
  @Get('reports/:id/progress')
  @Allow('viewer')
  async progress(@Param('id') id: string): Promise<string> {
    return reportFragment(await this.#known(id)).text;
  }

  async #start(kind: ReportKind, store: string, visit: Visit): Promise<NextPage> {
    const { id } = await this.reports.start(kind, store, visit.name);
    const to = kind === 'check' ? '/check' : `/reports/${id}`;
    return visit.goTo(to, 'It has begun. The result appears here.');
  }

  async #known(id: string): Promise<Report> {
    const report = await this.reports.show(id);
    if (report === null) throw new NotFoundException(`No report found for “${id.slice(0, 100)}”.`);
    return report;
  }
}
