import { Module } from '@nestjs/common';
import { AccessModule } from './access.module.js';
import { BearerAuthentication } from './admin.guard.js';
import { API_CONTROLLERS } from './controllers.js';

/** The API for operators and programs. */
@Module({
  imports: [AccessModule],
  controllers: [...API_CONTROLLERS],
  providers: [BearerAuthentication],
})
export class ApiModule {}
