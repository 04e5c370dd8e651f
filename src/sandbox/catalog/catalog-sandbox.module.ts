import { Module, type DynamicModule } from '@nestjs/common';
import { MulterModule } from '@nestjs/platform-express';
import { Accounts } from './auth/accounts.js';
import { AuthController } from './auth/auth.controller.js';
import { JwtIssuer } from './auth/jwt.js';
import { CsvImport } from './csv/csv-import.js';
import { CsvUploadController } from './csv/csv-upload.controller.js';
import { SandboxDatabase } from './database.js';
import { CreditAccount } from './generation/credit-account.js';
import { GenerationController } from './generation/generation.controller.js';
import { GenerationService } from './generation/generation.service.js';
import { ProductsController } from './products/products.controller.js';
import { ProductsService } from './products/products.service.js';
import { SandboxSettings } from './settings.js';
import { TaskStore } from './tasks/task-store.js';
import { TaskWorkload } from './tasks/task-workload.js';
import { TasksController } from './tasks/tasks.controller.js';
import { DeliveryStore } from './webhooks/delivery-store.js';
import { DeliveryWorkload } from './webhooks/delivery-workload.js';
import { WebhookSettings } from './webhooks/webhook-settings.js';
import { WebhookSettingsController } from './webhooks/webhook-settings.controller.js';

/** Resources that must be open before the module is created. */
export interface SandboxParts {
  readonly settings: SandboxSettings;
  readonly database: SandboxDatabase;
  readonly accounts: Accounts;
  readonly jwt: JwtIssuer;
}

@Module({})
export class CatalogSandboxModule {
  static of({ settings, database, accounts, jwt }: SandboxParts): DynamicModule {
    return {
      module: CatalogSandboxModule,
      imports: [MulterModule.register({ limits: { fileSize: settings.bodyLimitBytes, files: 1 } })],
      // The fixed paths under /products/ come before those with an id in them.
      controllers: [
        AuthController,
        GenerationController,
        CsvUploadController,
        ProductsController,
        TasksController,
        WebhookSettingsController,
      ],
      providers: [
        { provide: SandboxSettings, useValue: settings },
        { provide: SandboxDatabase, useValue: database },
        { provide: Accounts, useValue: accounts },
        { provide: JwtIssuer, useValue: jwt },
        TaskStore,
        ProductsService,
        WebhookSettings,
        DeliveryStore,
        DeliveryWorkload,
        CreditAccount,
        GenerationService,
        CsvImport,
        TaskWorkload,
      ],
    };
  }
}
