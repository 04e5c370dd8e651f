import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { DeliveryRepository } from '../persistence/delivery.repository.js';
import { HistoryRepository } from '../persistence/history.repository.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { ListingRepository } from '../persistence/listing.repository.js';
import { RunRepository } from '../persistence/run.repository.js';
import { SavedPlanRepository } from '../persistence/saved-plan.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { TaskRepository } from '../persistence/task.repository.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import { Shutdown } from '../runtime/shutdown.js';
import { Sites } from '../sites/sites.js';
import { DeliveryOperations } from './deliveries.js';
import { DriftOperations } from './drift.js';
import { GenerateOperations } from './generate.js';
import { PlanOperations } from './plans.js';
import { GenerationAsking, Planning, RowWork, SlotKeeping, WriteBackUndoing } from './ports.js';
import { StatusReader, type StatusParts } from './status.js';
import { ProductOperations } from './timeline.js';
import { WebhookSlotOperations } from './webhook-slots.js';
import { WriteBackOperations } from './write-backs.js';

const STATUS: Provider = {
  provide: StatusReader,
  inject: [
    Sites,
    RunRepository,
    LinkRepository,
    TaskRepository,
    DeliveryRepository,
    WriteBackRepository,
    StateRepository,
  ],
  useFactory: (
    sites: StatusParts['sites'],
    runs: StatusParts['runs'],
    links: StatusParts['links'],
    tasks: StatusParts['tasks'],
    deliveries: StatusParts['deliveries'],
    writeBacks: StatusParts['writeBacks'],
    state: StatusParts['state'],
  ) => new StatusReader({ sites, runs, links, tasks, deliveries, writeBacks, state }),
};

const SERVICES: Provider[] = [
  STATUS,
  {
    provide: DeliveryOperations,
    inject: [DeliveryRepository, ListingRepository, RowWork],
    useFactory: (...parts: ConstructorParameters<typeof DeliveryOperations>) =>
      new DeliveryOperations(...parts),
  },
  {
    provide: WriteBackOperations,
    inject: [WriteBackRepository, ListingRepository, RowWork, WriteBackUndoing],
    useFactory: (...parts: ConstructorParameters<typeof WriteBackOperations>) =>
      new WriteBackOperations(...parts),
  },
  {
    provide: ProductOperations,
    inject: [HistoryRepository, LinkRepository, ListingRepository],
    useFactory: (...parts: ConstructorParameters<typeof ProductOperations>) =>
      new ProductOperations(...parts),
  },
  {
    provide: DriftOperations,
    inject: [Sites, HistoryRepository],
    useFactory: (...parts: ConstructorParameters<typeof DriftOperations>) => new DriftOperations(...parts),
  },
  {
    provide: GenerateOperations,
    inject: [Sites, LinkRepository, TaskRepository, HistoryRepository, GenerationAsking],
    useFactory: (...parts: ConstructorParameters<typeof GenerateOperations>) =>
      new GenerateOperations(...parts),
  },
  {
    provide: WebhookSlotOperations,
    inject: [Sites, SlotKeeping],
    useFactory: (...parts: ConstructorParameters<typeof WebhookSlotOperations>) =>
      new WebhookSlotOperations(...parts),
  },
  {
    provide: PlanOperations,
    inject: [SavedPlanRepository, ListingRepository, Planning, RowWork, Shutdown],
    useFactory: (...parts: ConstructorParameters<typeof PlanOperations>) => new PlanOperations(...parts),
  },
];

/** One implementation for both faces, commands and API; `ports` provides what it asks of the stages. */
@Module({})
export class OperationsModule {
  static with(ports: Pick<DynamicModule, 'imports' | 'providers'>): DynamicModule {
    return {
      module: OperationsModule,
      global: true,
      imports: ports.imports ?? [],
      providers: [...(ports.providers ?? []), ...SERVICES],
      exports: [
        StatusReader,
        DeliveryOperations,
        WriteBackOperations,
        ProductOperations,
        DriftOperations,
        GenerateOperations,
        WebhookSlotOperations,
        PlanOperations,
        Planning,
        SlotKeeping,
      ],
    };
  }
}
