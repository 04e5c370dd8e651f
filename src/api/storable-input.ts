import { BadRequestException } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { isWithin, VALUE_BOUNDS } from '../domain/json-bounds.js';

const NUL = '\0';

/**
 * Refuses a NUL character in an address: the database stores none in a text, and no name of ours has one. Senders of
 * webhooks get the answer of their route.
 */
export function storableAddress(request: Request, _response: Response, next: NextFunction): void {
  if (request.originalUrl.includes('%00') && !/^\/webhooks\//i.test(request.path))
    throw new BadRequestException('the address has a NUL character: remove %00');
  next();
}

/** Refuses a body that was parsed and is nested beyond measure, or has a NUL character anywhere. */
export function storableBody(request: Request, _response: Response, next: NextFunction): void {
  if (!isWithin(request.body, VALUE_BOUNDS))
    throw new BadRequestException('the body has too many values or levels');
  if (hasNul(request.body)) throw new BadRequestException('the body has a NUL character: remove it');
  next();
}

/** Looks at every text and name of a JSON value. The depth of the value does not use the stack. */
function hasNul(value: unknown): boolean {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string' && next.includes(NUL)) return true;
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, member] of Object.entries(next)) {
      if (name.includes(NUL)) return true;
      waiting.push(member);
    }
  }
  return false;
}
