import { STATUS_CODES } from 'node:http';
import type { Response } from 'express';
import type { RowLog } from '../registry/row-log.js';

export const WEBHOOK_LOG = Symbol('WEBHOOK_LOG');

export type WebhookLog = RowLog;

/** An answer in the one shape of interface "HTTP"; a success says what became of the body. */
export function reply(response: Response, statusCode: number, message: string): void {
  if (response.writableEnded || response.destroyed) return;
  const body =
    statusCode < 400
      ? { status: message }
      : { statusCode, error: STATUS_CODES[statusCode] ?? 'Error', message };
  response.status(statusCode).json(body);
}
