import { AuditEntryEntity } from './audit-entry.entity.js';
import { CatalogListedEntity, CatalogListingEntity } from './catalog-listing.entity.js';
import { BulkChangeEntity } from './bulk-change.entity.js';
import { ReportEntity } from './report.entity.js';
import { GenerationTaskEntity } from './generation-task.entity.js';
import { LifecycleEventEntity } from './lifecycle-event.entity.js';
import { NotificationEntity } from './notification.entity.js';
import { AnnouncedProductEntity } from './announced-product.entity.js';
import { OwedProductEntity } from './owed-product.entity.js';
import { ProductIdentifierEntity } from './product-identifier.entity.js';
import { PlannedIdentifierEntity } from './planned-identifier.entity.js';
import { SeenProductEntity } from './seen-product.entity.js';
import { UsedKeyEntity } from './used-key.entity.js';
import { StoreInstallationEntity } from './store-installation.entity.js';
import { StoreProductEntity } from './store-product.entity.js';
import { StoreStateEntity } from './store-state.entity.js';
import { SyncActionEntity } from './sync-action.entity.js';
import { SyncRunEntity } from './sync-run.entity.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { WorkspaceStateEntity } from './workspace-state.entity.js';
import { WriteBackEntity } from './write-back.entity.js';

/** Every table of the product's own schema. The queue's tables belong to BullMQ. */
export const ENTITIES = [
  StoreProductEntity,
  ProductIdentifierEntity,
  SyncRunEntity,
  SyncActionEntity,
  GenerationTaskEntity,
  WebhookDeliveryEntity,
  WriteBackEntity,
  BulkChangeEntity,
  WorkspaceStateEntity,
  StoreStateEntity,
  PlannedIdentifierEntity,
  SeenProductEntity,
  NotificationEntity,
  AnnouncedProductEntity,
  OwedProductEntity,
  AuditEntryEntity,
  CatalogListingEntity,
  CatalogListedEntity,
  StoreInstallationEntity,
  UsedKeyEntity,
  LifecycleEventEntity,
  ReportEntity,
];

export {
  AuditEntryEntity,
  BulkChangeEntity,
  GenerationTaskEntity,
  LifecycleEventEntity,
  NotificationEntity,
  AnnouncedProductEntity,
  OwedProductEntity,
  ProductIdentifierEntity,
  ReportEntity,
  StoreInstallationEntity,
  StoreProductEntity,
  StoreStateEntity,
  SyncActionEntity,
  SyncRunEntity,
  WebhookDeliveryEntity,
  WorkspaceStateEntity,
  WriteBackEntity,
};
