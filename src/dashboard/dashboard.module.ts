import {
  Module,
  type DynamicModule,
  type MiddlewareConsumer,
  type NestModule,
  type Provider,
} from '@nestjs/common';
import { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import { urlencoded } from 'express';
import { Database } from '../persistence/database.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import { Nudger } from '../queue/index.js';
import { Sites } from '../sites/sites.js';
import { FieldApproval } from './field-approval.js';
import { LiveValues } from './live-values.js';
import { AssetPages } from './pages/asset.pages.js';
import { DeliveryPages } from './pages/delivery.pages.js';
import { OffPages } from './pages/off.pages.js';
import { OverviewPages } from './pages/overview.pages.js';
import { ProductPages } from './pages/product.pages.js';
import { RunPages } from './pages/run.pages.js';
import { SignInPages } from './pages/sign-in.pages.js';
import { WriteBackLists } from './pages/write-back-lists.pages.js';
import { WriteBackPages } from './pages/write-back.pages.js';
import { QueueBoard } from './queue-board.js';
import { securityHeaders } from './security-headers.js';
import { Sessions } from './session.js';
import { SignInThrottle } from './sign-in-throttle.js';

const PAGES = [
  AssetPages,
  SignInPages,
  OverviewPages,
  RunPages,
  ProductPages,
  DeliveryPages,
  WriteBackLists,
  WriteBackPages,
];
/** A form names at most a page of rows and its fields. */
const FORM_LIMIT = '256kb';
const FORM_FIELDS = 2000;

const now = (): Date => new Date();

/** Server-rendered pages for operators, behind the admin token. Without a token there are none. */
@Module({})
export class DashboardModule implements NestModule {
  static forRoot(adminToken: string | undefined): DynamicModule {
    if (adminToken === undefined) return { module: DashboardModule, controllers: [OffPages] };
    return { module: DashboardModule, controllers: PAGES, providers: providers(adminToken) };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply(securityHeaders, urlencoded({ extended: false, limit: FORM_LIMIT, parameterLimit: FORM_FIELDS }))
      .forRoutes(...PAGES);
  }
}

function providers(adminToken: string): Provider[] {
  return [
    { provide: Sessions, useFactory: () => new Sessions(adminToken, now) },
    { provide: SignInThrottle, useFactory: () => new SignInThrottle(now) },
    {
      provide: LiveValues,
      inject: [Sites, LinkRepository, WriteBackRepository],
      useFactory: (sites: Sites, links: LinkRepository, writeBacks: WriteBackRepository) =>
        new LiveValues(sites, links, writeBacks, now),
    },
    {
      provide: FieldApproval,
      inject: [WriteBackRepository, Database, Nudger],
      useFactory: (writeBacks: WriteBackRepository, db: Database, nudger: Nudger) =>
        new FieldApproval(writeBacks, db, (id) => nudger.nudge('write-backs', id)),
    },
    {
      provide: QueueBoard,
      inject: [HttpAdapterHost, ModuleRef, Sessions],
      useFactory: (http: HttpAdapterHost, modules: ModuleRef, sessions: Sessions) =>
        new QueueBoard(http, modules, sessions),
    },
  ];
}
