import { Global, Module } from '@nestjs/common';
import { AccessThrottle } from './access-throttle.js';
import { AccessTokens } from './access.js';

/** Tokens, their roles and the throttle, shared by the API and the dashboard. */
@Global()
@Module({
  providers: [AccessTokens, AccessThrottle],
  exports: [AccessTokens, AccessThrottle],
})
export class AccessModule {}
