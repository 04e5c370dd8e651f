import { Module, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { urlencoded } from 'express';
import { storableBody } from '../api/storable-input.js';
import { Connections } from '../connections/connections.js';
import { GenerateAgain } from './generate-again.js';
import { AssetPages } from './pages/asset.pages.js';
import { AuditPages } from './pages/audit.pages.js';
import { BulkPages } from './pages/bulk.pages.js';
import { DeliveryPages } from './pages/delivery.pages.js';
import { OffPages } from './pages/off.pages.js';
import { OverviewPages } from './pages/overview.pages.js';
import { ProductPages } from './pages/product.pages.js';
import { RunPages } from './pages/run.pages.js';
import { SignInPages } from './pages/sign-in.pages.js';
import { ProductLive } from './product-live.js';
import { PlanPages } from './pages/plan.pages.js';
import { ReportPages } from './pages/report.pages.js';
import { SearchPages } from './pages/search.pages.js';
import { SettingsPages } from './pages/settings.pages.js';
import { UnknownPages } from './unknown-pages.js';
import { StorePages } from './pages/store.pages.js';
import { WriteBackActionPages } from './pages/write-back-actions.pages.js';
import { WriteBackLists } from './pages/write-back-lists.pages.js';
import { WriteBackPages } from './pages/write-back.pages.js';
import { securityHeaders } from './security-headers.js';
import { Sessions } from './session.js';
import { imageOriginsOf, Thumbnails } from './thumbnails.js';

const PAGES = [
  AssetPages,
  SignInPages,
  OverviewPages,
  StorePages,
  PlanPages,
  ReportPages,
  SearchPages,
  SettingsPages,
  RunPages,
  ProductPages,
  DeliveryPages,
  WriteBackLists,
  WriteBackPages,
  WriteBackActionPages,
  BulkPages,
  AuditPages,
];
/** A form has at most one page of rows and their fields. */
const FORM_LIMIT = '256kb';
const FORM_FIELDS = 2000;

/** Server-rendered pages for operators, behind the admin token. The daemon has this module only when there is a token. */
@Module({
  controllers: PAGES,
  providers: [UnknownPages, ProductLive, Sessions, GenerateAgain, Thumbnails],
})
export class DashboardModule implements NestModule {
  constructor(private readonly connections: Connections) {}

  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply(
        securityHeaders(() => imageOriginsOf(this.connections)),
        urlencoded({ extended: false, limit: FORM_LIMIT, parameterLimit: FORM_FIELDS }),
        storableBody,
      )
      .forRoutes(...PAGES);
  }
}

/** Answers instead of the dashboard when there is no admin token. */
@Module({ controllers: [OffPages] })
export class DashboardOffModule {}
