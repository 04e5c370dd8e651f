import { escapeText } from '../domain/text.js';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { APP_CONFIG, type PublicAddress } from '../config/index.js';
import { Inject } from '@nestjs/common';
import { Logger } from '../runtime/logger.js';
import { cookieName, cookieOf } from './cookies.js';
import { NOBODY, RefusedAttempts } from '../operations/refused-attempts.js';
import { InstallRefused, INSTALL_ROUTES, StoreInstalls } from '../operations/store-installs.js';

const COOKIE_MS = 10 * 60_000;

/**
 * The install flow for stores of other merchants. Both routes are open to everybody: the store's signature and our own state protect
 * them. No address is taken from the request's Host header, and the only redirect leads to the checked shop.
 */
@Controller(INSTALL_ROUTES)
export class InstallController {
  readonly #log: Logger;
  readonly #cookie: { readonly name: string; readonly options: CookieOptions };

  constructor(
    private readonly installs: StoreInstalls,
    private readonly refused: RefusedAttempts,
    @Inject(APP_CONFIG) { server }: PublicAddress,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'install' });
    const secure = server.publicUrl?.startsWith('https:') === true;
    this.#cookie = {
      // Only a loopback address lacks TLS.
      name: cookieName('store_sync_install', secure),
      options: { httpOnly: true, secure, sameSite: 'lax', path: '/' },
    };
  }

  @Get('install')
  async install(@Req() request: Request, @Res() response: Response): Promise<void> {
    try {
      const { location, state } = this.installs.begin(queryOf(request));
      const { name, options } = this.#cookie;
      response.cookie(name, state, { ...options, maxAge: COOKIE_MS });
      page(response).redirect(302, location);
    } catch (error) {
      await this.#refuse(request, response, error);
    }
  }

  @Get('callback')
  async callback(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { name, options } = this.#cookie;
    response.clearCookie(name, options);
    try {
      const key = await this.installs.finish(
        queryOf(request),
        cookieOf(request.headers.cookie, name) ?? '',
        request.ip ?? null,
      );
      page(response)
        .status(200)
        .type('html')
        .send(
          html(
            'store-sync is installed',
            `Your store is connected under the name ${key}. You can close this page.`,
          ),
        );
    } catch (error) {
      await this.#refuse(request, response, error);
    }
  }

  /** The address of the request has the code and the signature, so that it is in no log line. */
  async #refuse(request: Request, response: Response, error: unknown): Promise<void> {
    if (!(error instanceof InstallRefused)) throw error;
    const attempt = { what: 'install', targets: [], details: { reason: error.message } };
    const caller = { actor: NOBODY, role: null, via: 'store', address: request.ip ?? null } as const;
    await this.refused.record({ ...caller, ...attempt });
    this.#log.warn({ status: error.status, reason: error.message }, 'an installation was refused');
    page(response).status(error.status).type('html').send(html('store-sync is not installed', error.message));
  }
}

/** The query as it was sent: a parser that builds lists and maps would hide a name that stands twice. */
function queryOf(request: Request): URLSearchParams {
  const at = request.originalUrl.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : request.originalUrl.slice(at + 1));
}

function page(response: Response): Response {
  return response.set({
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
}

function html(title: string, text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeText(title)}</title><h1>${escapeText(title)}</h1><p>${escapeText(text)}</p></html>\n`;
}
