import { afterAll, describe, expect, it } from '@jest/globals';
import { describeConfig, secretValues } from './index.js';
import { redactSecrets } from '../observability/logging/index.js';
import { notificationsFinding } from '../operations/check.js';
import { configDirectory } from '../../test/support/config/config-files.js';

const SLACK = 'https://hooks.slack.com/services/T0/B0/canary';
const files = configDirectory();
afterAll(files.remove);
const load = (url: string) => files.load('', { NOTIFICATIONS_WEBHOOK_URL: url }).config;

describe('notifications.webhookUrl', () => {
  it.each([
    ['nothing', '', undefined],
    ['an https: address', SLACK, SLACK],
    ['one with a query', `${SLACK}?sig=a%2Bb`, `${SLACK}?sig=a%2Bb`],
    ['plain http: on loopback', 'http://127.0.0.1:9/x', 'http://127.0.0.1:9/x'],
  ])('takes %s from the environment unchanged', (_what, url, expected) => {
    expect(load(url).notifications.webhookUrl).toBe(expected);
  });

  it.each([
    ['plain http: elsewhere', 'http://hooks.example.com/canary', 'https:'],
    ['credentials in it', 'https://user:canary@hooks.example.com', 'without credentials'],
    ['no URL', 'canary', 'an absolute URL'],
  ])('refuses %s without repeating it', (_what, url, problem) => {
    expect(() => load(url)).toThrow(problem);
    expect(() => load(url)).not.toThrow('canary');
  });

  it('is a secret: redacted in logs, not shown, and named by its host alone in check', () => {
    const config = load(SLACK);
    expect(redactSecrets(`POST ${SLACK} failed`, secretValues(config))).not.toContain('canary');
    expect(JSON.stringify(describeConfig(config))).not.toContain('canary');
    expect(notificationsFinding(SLACK)).toEqual({
      level: 'ok',
      what: 'notifications',
      detail: 'sent to hooks.slack.com',
    });
    expect(notificationsFinding(undefined).detail).toContain('no notifications are sent');
  });
});
