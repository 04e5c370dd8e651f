import { GenerationTaskEntity } from './generation-task.entity.js';
import { NotificationEntity } from './notification.entity.js';
import { SavedPlanEntity, SavedPlanEntryEntity } from './saved-plan.entity.js';
import { StoreProductEntity } from './store-product.entity.js';
import { StoreStateEntity } from './store-state.entity.js';
import { SyncActionEntity } from './sync-action.entity.js';
import { SyncRunEntity } from './sync-run.entity.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { WorkspaceStateEntity } from './workspace-state.entity.js';
import { WriteBackEntity } from './write-back.entity.js';

export const ENTITIES = [
  StoreProductEntity,
  SyncRunEntity,
  SyncActionEntity,
  GenerationTaskEntity,
  WebhookDeliveryEntity,
  WriteBackEntity,
  WorkspaceStateEntity,
  StoreStateEntity,
  SavedPlanEntity,
  SavedPlanEntryEntity,
  NotificationEntity,
];

export {
  GenerationTaskEntity,
  NotificationEntity,
  SavedPlanEntity,
  SavedPlanEntryEntity,
  StoreProductEntity,
  StoreStateEntity,
  SyncActionEntity,
  SyncRunEntity,
  WebhookDeliveryEntity,
  WorkspaceStateEntity,
  WriteBackEntity,
};
