import { Global, Module } from '@nestjs/common';
import { AccessThrottle } from './access-throttle.js';
import { AccessTokens } from './access.js';
import { Admission } from './allow.js';

/** Tokens, their roles and the throttle, shared by the API and the dashboard. */
@Global()
@Module({
  providers: [AccessTokens, AccessThrottle, Admission],
  exports: [AccessTokens, AccessThrottle, Admission],
})
export class AccessModule {}
