import { Get, Param } from '@nestjs/common';
import { Allow } from '../../api/allow.js';
import { Reports, type ReportKind } from '../../operations/reports.js';
import { SyncCosts } from '../../operations/sync-cost.js';
import { Connections } from '../../connections/connections.js';
import { Form, Page, Pages } from '../page-routes.js';
import { OtherAnswer, ThisVisit, ThisVisitor, type NextPage, type Visit, type Visitor } from '../visit.js';
import { checkPage, generateQuestionPage, reportPage } from '../views/reports.js';

/** Work that takes longer than a page: checks, looks for drift and generation of all that is missing. */
@Pages()
export class ReportPages {
  constructor(
    private readonly reports: Reports,
    private readonly costs: SyncCosts,
    private readonly connections: Connections,
  ) {}

  /** For admins alone: a finding may name a secret that is known to everybody. */
  @Get('check')
  @Allow('admin')
  async check(@ThisVisitor() visitor: Visitor): Promise<string> {
    return checkPage(visitor, await this.reports.newest('check', ''));
  }

  @Form('check', 'admin', 'check')
  async runCheck(@ThisVisit() visit: Visit): Promise<NextPage> {
    return this.#start('check', '', visit);
  }

  @Form('stores/:key/drift', 'admin', 'drift')
  async drift(@Param('key') key: string, @ThisVisit() visit: Visit): Promise<NextPage> {
    return this.#start('drift', key, visit);
  }

  /** The question first: content costs credits. */
  @Page('stores/:key/generate')
  async question(@Param('key') key: string, @ThisVisitor() visitor: Visitor): Promise<string> {
    const store = this.connections.namedStore(key);
    const cost = await this.costs.ofMissing(store);
    return generateQuestionPage(visitor, { store: key, products: null, cost });
  }

  @Form('stores/:key/generate', 'admin', 'generate')
  async generate(@Param('key') key: string, @ThisVisit() visit: Visit): Promise<NextPage> {
    return this.#start('generate', key, visit);
  }

  @Page('reports/:id')
  async show(@Param('id') id: string, @ThisVisitor() visitor: Visitor): Promise<string> {
    const report = await this.reports.show(id);
    if (report.kind === 'check') throw new OtherAnswer({ url: '/check' });
    return reportPage(visitor, report);
  }

  async #start(kind: ReportKind, store: string, visit: Visit): Promise<NextPage> {
    const { id } = await this.reports.start(kind, store, visit.name);
    const to = kind === 'check' ? '/check' : `/reports/${id}`;
    return visit.goTo(to, 'It has begun. The result appears here.');
  }
}
