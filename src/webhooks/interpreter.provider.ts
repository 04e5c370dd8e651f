import type { Provider } from '@nestjs/common';
import { DeliveryRepository } from '../persistence/delivery.repository.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { TaskRepository } from '../persistence/task.repository.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import type { RowLog } from '../runtime/logger.js';
import { Sites } from '../sites/sites.js';
import { DeliveryInterpreter } from './interpreter.js';

/** The interpreter for a process: the daemon's, or a command's that looks at deliveries itself. */
export function interpreterProvider(log: RowLog): Provider {
  return {
    provide: DeliveryInterpreter,
    inject: [Sites, DeliveryRepository, LinkRepository, TaskRepository, WriteBackRepository, StateRepository],
    useFactory: (
      sites: Sites,
      deliveries: DeliveryRepository,
      links: LinkRepository,
      tasks: TaskRepository,
      writeBacks: WriteBackRepository,
      state: StateRepository,
    ) => new DeliveryInterpreter(sites, deliveries, links, tasks, writeBacks, state, log),
  };
}
