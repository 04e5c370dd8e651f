import { Global, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AccessThrottle } from './access-throttle.js';
import { AccessTokens } from './access.js';
import { AuditInterceptor } from './audit.interceptor.js';

/** Tokens, their roles, the throttle and the audit record, shared by the API and the dashboard. */
@Global()
@Module({
  providers: [AccessTokens, AccessThrottle, { provide: APP_INTERCEPTOR, useClass: AuditInterceptor }],
  exports: [AccessTokens, AccessThrottle],
})
export class AccessModule {}
