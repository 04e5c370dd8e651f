import { Module } from '@nestjs/common';
import { DeliveryInterpreter } from './interpreter.js';

/** The meaning of deliveries. */
@Module({ providers: [DeliveryInterpreter], exports: [DeliveryInterpreter] })
export class DeliveriesModule {}
