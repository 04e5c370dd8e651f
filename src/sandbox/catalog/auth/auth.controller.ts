import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { z } from 'zod';
import { parseOrRefuse, unauthorized } from '../http/errors.js';
import { Accounts } from './accounts.js';
import { bearerToken } from './bearer.guard.js';
import { JwtIssuer } from './jwt.js';

const loginRequest = z.object({ email: z.email(), password: z.string().min(1) });
const refreshRequest = z.object({ refresh: z.string().min(1) });

/** docs/catalog-rules.md#post-login and docs/catalog-rules.md#post-refresh. */
@Controller()
export class AuthController {
  constructor(
    private readonly accounts: Accounts,
    private readonly jwt: JwtIssuer,
  ) {}

  @Post('login')
  @HttpCode(200)
  async login(@Body() body: unknown): Promise<{ access: string; refresh: string }> {
    const { email, password } = parseOrRefuse(loginRequest, body);
    const account = await this.accounts.accountByPassword(email, password);
    if (account === undefined) throw unauthorized('No active account found with the given credentials.');
    return {
      access: await this.jwt.issue('access', account.id),
      refresh: await this.jwt.issue('refresh', account.id),
    };
  }

  /**
   * "Every endpoint except login requires a bearer token": so does this one. But the token may be expired, because
   * that is the reason for the call.
   */
  @Post('refresh')
  @HttpCode(200)
  async refresh(
    @Headers('authorization') authorization: string | undefined,
    @Body() body: unknown,
  ): Promise<{ access: string }> {
    const bearer = bearerToken(authorization);
    if (!(await this.jwt.isOurs(bearer)) && (await this.accounts.scopesOfApiToken(bearer)) === undefined) {
      throw unauthorized('The given token is not valid.');
    }
    const { refresh } = parseOrRefuse(refreshRequest, body);
    const accountId = await this.jwt.verify('refresh', refresh);
    const account = accountId === undefined ? undefined : await this.accounts.accountById(accountId);
    if (account === undefined) throw unauthorized('Token is invalid or expired.');
    return { access: await this.jwt.issue('access', account.id) };
  }
}
