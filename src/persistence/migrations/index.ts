import { RowsAreTheTruth1763700000000 } from './1763700000000-rows-are-the-truth.js';
import { ArrivedContent1765000000000 } from './1765000000000-arrived-content.js';
import { Audit1765100000000 } from './1765100000000-audit.js';
import { BegunActions1764400000000 } from './1764400000000-begun-actions.js';
import { CountWhatNeverEnded1763800000000 } from './1763800000000-count-what-never-ended.js';
import { StoreHealth1763870000000 } from './1763870000000-store-health.js';
import { WhatTheCatalogHeld1763850000000 } from './1763850000000-what-the-catalog-held.js';
import { EventBodies1765230000000 } from './1765230000000-event-bodies.js';
import { Decisions1765271000000 } from './1765271000000-decisions.js';
import { GateFindings1764900000000 } from './1764900000000-gate-findings.js';
import { Notifications1764000000000 } from './1764000000000-notifications.js';
import { OwedWork1763840000000 } from './1763840000000-owed-work.js';
import { Identity1763841000000 } from './1763841000000-identity.js';
import { SlotsPutOff1763842000000 } from './1763842000000-slots-put-off.js';
import { ReadMarks1764200000000 } from './1764200000000-read-marks.js';
import { RunAccount1765261000000 } from './1765261000000-run-account.js';
import { CsvUpload1765350000000 } from './1765350000000-csv-upload.js';
import { SavedPlans1763900000000 } from './1763900000000-saved-plans.js';
import { RecreatedProducts1765210000000 } from './1765210000000-recreated-products.js';
import { WriteCaps1765240000000 } from './1765240000000-write-caps.js';
import { Reports1765362000000 } from './1765362000000-reports.js';
import { StoreDays1765361000000 } from './1765361000000-store-days.js';
import { StoreKeys1765211000000 } from './1765211000000-store-keys.js';
import { VariantsByCatalogId1765311000000 } from './1765311000000-variants-by-catalog-id.js';
import { CatalogListings1765381000000 } from './1765381000000-catalog-listings.js';
import { WorkspacePace1765382000000 } from './1765382000000-workspace-pace.js';
import { RunTurns1765383000000 } from './1765383000000-run-turns.js';
import { IdentifiersByStore1765560000000 } from './1765560000000-identifiers-by-store.js';
import { OneIndexForAProduct1765700000000 } from './1765700000000-one-index-for-a-product.js';
import { MarksOfTheirOwn1765550000000 } from './1765550000000-marks-of-their-own.js';
import { RunsThatWaitForTheListing1765460000000 } from './1765460000000-runs-that-wait-for-the-listing.js';
import { ShopRedactions1765450000000 } from './1765450000000-shop-redactions.js';
import { VariantResults1765304000000 } from './1765304000000-variant-results.js';
import { UnfinishedActions1764300000000 } from './1764300000000-unfinished-actions.js';
import { LifecycleEvents1765371000000 } from './1765371000000-lifecycle-events.js';
import { StoreInstallations1765370000000 } from './1765370000000-store-installations.js';

/** Every migration, oldest first. They are listed, not globbed, so that a bundle or a test cannot miss one. */
export const MIGRATIONS = [
  RowsAreTheTruth1763700000000,
  CountWhatNeverEnded1763800000000,
  WhatTheCatalogHeld1763850000000,
  OwedWork1763840000000,
  Identity1763841000000,
  SlotsPutOff1763842000000,
  StoreHealth1763870000000,
  SavedPlans1763900000000,
  Notifications1764000000000,
  ReadMarks1764200000000,
  UnfinishedActions1764300000000,
  BegunActions1764400000000,
  GateFindings1764900000000,
  ArrivedContent1765000000000,
  Audit1765100000000,
  RecreatedProducts1765210000000,
  StoreKeys1765211000000,
  EventBodies1765230000000,
  WriteCaps1765240000000,
  RunAccount1765261000000,
  Decisions1765271000000,
  VariantResults1765304000000,
  VariantsByCatalogId1765311000000,
  StoreDays1765361000000,
  Reports1765362000000,
  StoreInstallations1765370000000,
  LifecycleEvents1765371000000,
  CatalogListings1765381000000,
  CsvUpload1765350000000,
  WorkspacePace1765382000000,
  RunTurns1765383000000,
  ShopRedactions1765450000000,
  RunsThatWaitForTheListing1765460000000,
  MarksOfTheirOwn1765550000000,
  IdentifiersByStore1765560000000,
  OneIndexForAProduct1765700000000,
];
