import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * The policy of every page. The script that updates a run's progress needs `connect-src`. Only product images are
 * loaded from other hosts: `imageOrigins`, those of the configured stores.
 */
export function pagePolicy(imageOrigins: readonly string[]): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    ["img-src 'self' data:", ...imageOrigins].join(' '),
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/**
 * The policy of a rendered description: an origin of its own that loads nothing, where scripts, forms, windows and
 * cookies are blocked.
 * `style` is the only style element that it may have.
 */
export function previewPolicy(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return [
    'sandbox',
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "form-action 'none'",
    "frame-ancestors 'self'",
    "base-uri 'none'",
  ].join('; ');
}

/** The policy of a page depends on the stores. Who terminates TLS decides on HSTS. */
const usualHeaders = helmet({
  contentSecurityPolicy: false,
  strictTransportSecurity: false,
  xFrameOptions: { action: 'deny' },
});

/** Express middleware: the headers of every dashboard response. A preview replaces the policy with its own. */
export function securityHeaders(imageOrigins: () => readonly string[]): RequestHandler {
  return (request, response, next) => {
    response.set({
      'content-security-policy': pagePolicy(imageOrigins()),
      'cache-control': 'no-store',
      'permissions-policy': 'camera=(), microphone=(), geolocation=()',
      'x-robots-tag': 'noindex',
    });
    usualHeaders(request, response, next);
  };
}
