import type { NestMiddleware, Provider, Type } from '@nestjs/common';
import type { RequestHandler } from 'express';
import { storableBody } from '../api/storable-input.js';
import type { Connections } from '../connections/connections.js';
import { compressed } from './compressed.js';
import { FormParser } from './form-parser.js';
import { GenerateAgain } from './generate-again.js';
import { AssetPages } from './pages/asset.pages.js';
import { AuditPages } from './pages/audit.pages.js';
import { BulkPages } from './pages/bulk.pages.js';
import { DeliveryPages } from './pages/delivery.pages.js';
import { OverviewPages } from './pages/overview.pages.js';
import { GenerationPages } from './pages/generation.pages.js';
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
import { SignInLinks } from './sign-in-links.js';
import { imageOriginsOf, Thumbnails } from './thumbnails.js';

/** The controllers of the server-rendered pages. A daemon has them only when there is a token to sign in with. */
export const PAGES: Type[] = [
  AssetPages,
  SignInPages,
  OverviewPages,
  StorePages,
  PlanPages,
  ReportPages,
  SearchPages,
  SettingsPages,
  RunPages,
  // Listed before the products, whose route takes any name.
  GenerationPages,
  ProductPages,
  DeliveryPages,
  WriteBackLists,
  WriteBackPages,
  WriteBackActionPages,
  BulkPages,
  AuditPages,
];
/** What the pages need, besides the operations. */
export const PAGE_PROVIDERS: Provider[] = [
  UnknownPages,
  ProductLive,
  Sessions,
  SignInLinks,
  GenerateAgain,
  Thumbnails,
];

/** Runs before every page: its headers, and the parser of its forms. */
export function pageMiddleware(connections: Connections): (RequestHandler | Type<NestMiddleware>)[] {
  return [compressed, securityHeaders(() => imageOriginsOf(connections)), FormParser, storableBody];
}
