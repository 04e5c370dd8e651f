import { describe, expect, it } from '@jest/globals';
import { cookieOf, SESSION_SECONDS, Sessions } from './session.js';

const START = Date.parse('2026-11-21T08:00:00Z');
const at = (seconds: number) => () => new Date(START + seconds * 1000);
const sessionsOf = (adminToken: string, now: () => Date) => new Sessions({ server: { adminToken } }, { now });

describe('a session', () => {
  it('lasts twelve hours and no longer', () => {
    const cookie = sessionsOf('token', at(0)).issue();
    expect(sessionsOf('token', at(SESSION_SECONDS - 1)).read(cookie)).not.toBeNull();
    expect(sessionsOf('token', at(SESSION_SECONDS)).read(cookie)).toBeNull();
  });

  it('ends with the token that it was opened with', () => {
    const cookie = sessionsOf('token', at(0)).issue();
    expect(sessionsOf('another', at(1)).read(cookie)).toBeNull();
  });

  it('is not read when any part of it was changed', () => {
    const sessions = sessionsOf('token', at(0));
    const cookie = sessions.issue();
    const [end = '', id = '', signature = ''] = cookie.split('.');
    for (const other of [
      `${Number(end) + 1000}.${id}.${signature}`,
      `${end}.${'A'.repeat(id.length)}.${signature}`,
      `${end}.${id}.${'A'.repeat(signature.length)}`,
      `${end}.${id}`,
      '',
    ])
      expect(sessions.read(other)).toBeNull();
    expect(sessions.read(undefined)).toBeNull();
  });

  it('has a form token that no other session has, and notices that no other session reads', () => {
    const sessions = sessionsOf('token', at(0));
    const [one, other] = [sessions.read(sessions.issue())!, sessions.read(sessions.issue())!];
    expect(sessions.isFormToken(one, sessions.formToken(one))).toBe(true);
    expect(sessions.isFormToken(other, sessions.formToken(one))).toBe(false);
    const notice = sessions.notice(one, 'Größe: 3 done.');
    expect(sessions.readNotice(one, notice)).toBe('Größe: 3 done.');
    expect(sessions.readNotice(other, notice)).toBeNull();
  });
});

describe('cookieOf', () => {
  it.each([
    ['a=1; b=2', '2'],
    ['b=2', '2'],
    ['a=1; b=x=y', 'x=y'],
    ['ab=1', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads b of %j as %j', (header, value) => {
    expect(cookieOf(header, 'b')).toBe(value);
  });
});
