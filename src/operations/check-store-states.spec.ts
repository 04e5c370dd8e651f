import { expect, it } from '@jest/globals';
import { installationFindings, pauseFindings } from './check-store-states.js';

const AT = new Date('2026-11-20T08:00:00Z');
const installation = (key: string, uninstalledAt: Date | null = null) => ({
  shop: `${key}.myshopify.com`,
  storeKey: key,
  installedAt: AT,
  uninstalledAt,
});

it('the check of installed stores names each with its state: installed, uninstalled, left out of the configuration', () => {
  const found = installationFindings(
    [installation('one'), installation('two', AT), installation('three')],
    ['three.myshopify.com'],
  );
  expect(found.map(({ level, what, detail }) => `${level} ${what}: ${detail}`)).toEqual([
    'ok store one: installation: one.myshopify.com was installed by its merchant on 2026-11-20',
    'warn store two: installation: the merchant of two.myshopify.com uninstalled the app on 2026-11-20: it waits until it is installed again',
    'warn store three: installation: three.myshopify.com is left out: a file has the shop or its key, or storeTemplate is not set',
  ]);
});

it('the check of pauses names each paused store with the reason, and no other store', () => {
  const pause = { scope: 'everything', code: 'credentials_refused', since: AT, until: AT } as const;
  expect(
    pauseFindings([
      ['one', { ...pause, reason: 'the token was refused' }],
      ['two', null],
    ]),
  ).toEqual([
    {
      level: 'warn',
      what: 'store one: pause',
      detail:
        'paused since 2026-11-20T08:00:00.000Z: the token was refused; once that is fixed, run store-sync retry --store one',
    },
  ]);
});
