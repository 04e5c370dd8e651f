import { Module } from '@nestjs/common';
import { ApplyCommand } from './apply.command.js';
import { CheckCommand } from './check.command.js';
import { CompletionCommand } from './completion.command.js';
import { DeliveriesCommand } from './deliveries.command.js';
import { DemoCommand } from './demo.command.js';
import { DriftCommand } from './drift.command.js';
import { GenerateCommand } from './generate.command.js';
import { MigrateCommand } from './migrate.command.js';
import { PlanCommand } from './plan.command.js';
import { ProductsCommand } from './products.command.js';
import { StartCommand } from './start.command.js';
import { StatusCommand } from './status.command.js';
import { SyncCommand } from './sync.command.js';
import { WebhookCommand } from './webhook.command.js';
import { WriteBacksCommand } from './write-backs.command.js';

@Module({
  providers: [
    StartCommand,
    DemoCommand,
    CheckCommand,
    PlanCommand,
    ApplyCommand,
    SyncCommand,
    StatusCommand,
    DeliveriesCommand,
    ProductsCommand,
    DriftCommand,
    GenerateCommand,
    WriteBacksCommand,
    WebhookCommand,
    MigrateCommand,
    CompletionCommand,
  ],
})
export class CliModule {}
