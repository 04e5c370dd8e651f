import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isEventSignature } from './event-parts.js';

const BODY = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]);
const sign = (secret: string, body: Uint8Array = BODY): string =>
  createHmac('sha256', secret).update(body).digest('base64');

describe('isEventSignature', () => {
  it('accepts the signature of the raw bytes, whether they are text or not', () => {
    expect(isEventSignature(BODY, sign('secret'), ['secret'])).toBe(true);
  });

  it('accepts any of several secrets while a rotation lasts', () => {
    expect(isEventSignature(BODY, sign('old'), ['new', 'old'])).toBe(true);
  });

  it.each([
    ['hexadecimal digits', createHmac('sha256', 'secret').update(BODY).digest('hex')],
    ['white space around it', ` ${sign('secret')}`],
    ['a missing padding', sign('secret').slice(0, -1)],
    ['two signatures', `${sign('secret')},${sign('secret')}`],
    ['another spelling of the last character', respelt(sign('secret'))],
  ])('refuses %s', (_name, header) => {
    expect(isEventSignature(BODY, header, ['secret'])).toBe(false);
  });

  it('treats an empty secret as none', () => {
    expect(isEventSignature(BODY, createHmac('sha256', '').update(BODY).digest('base64'), [''])).toBe(false);
  });

  /** Sets an unused bit of the last character. The result decodes to the same bytes. */
  function respelt(signature: string): string {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const at = signature.length - 2;
    return `${signature.slice(0, at)}${alphabet[alphabet.indexOf(signature.charAt(at)) + 1] ?? ''}=`;
  }
});
