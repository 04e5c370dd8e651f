import { expect } from '@jest/globals';
import {
  expectDetail,
  expectFieldErrors,
  expectRefusalOf,
  expectSuccess,
  type RuleTest,
} from '../harness.js';
import { webhookShape } from '../shapes.js';

const ALL_ACTIONS = ['product_generated', 'product_generation_failed', 'product_generation_no_urls'];
const SLOT = '/settings/webhooks/';
const URL_A = 'https://example.com/a';
const URL_B = 'https://example.com/b';
const SECRET = 'a secret that both sides know';

/** "Webhook configuration" and "/settings/webhooks/". A slot that is somebody else's is left alone, unless it may be borrowed. */
export function settingsRules(rule: RuleTest): void {
  const slot = { needs: ['slot'] } as const;

  rule('HOOK-01', slot, async ({ api }) => {
    expectFieldErrors(await api.post(SLOT, {}), 'url');
    expectFieldErrors(await api.post(SLOT, { url: 'nowhere' }), 'url');
    expectFieldErrors(await api.post(SLOT, { url: 7 }), 'url');
  });

  rule('HOOK-02', slot, async ({ api }) => {
    expectSuccess(await api.post(SLOT, { url: URL_A }));
  });

  rule('HOOK-03', slot, async ({ api }) => {
    const answer = await api.post(SLOT, { url: URL_A, actions: ['product_deleted'] });
    expectRefusalOf(answer, 'actions');
    for (const action of ALL_ACTIONS) {
      expectSuccess(await api.post(SLOT, { url: URL_A, actions: [action] }));
    }
  });

  rule('HOOK-04', slot, async ({ api }) => {
    const saved = webhookShape.parse((await api.post(SLOT, { url: URL_A })).body);
    expect([null, undefined, [...ALL_ACTIONS].sort()]).toContainEqual(
      saved.actions && [...saved.actions].sort(),
    );
  });

  rule('HOOK-05', slot, async ({ api }) => {
    await api.post(SLOT, { url: URL_A });
    await api.post(SLOT, { url: URL_B });
    expect((await api.get(SLOT)).body).toMatchObject({ url: URL_B });
  });

  rule('SETTINGS-01', slot, async ({ api }) => {
    const configuration = { url: URL_A, hmac_secret: SECRET, actions: ['product_generated'] };
    await api.post(SLOT, configuration);
    const { url, actions } = configuration;
    expect((await api.get(SLOT)).body).toMatchObject({ url, actions });
  });

  rule(
    'SETTINGS-01',
    { ...slot, note: 'the secret in full', assumes: 'GET shows the secret, not a mask of it' },
    async ({ api }) => {
      await api.post(SLOT, { url: URL_A, hmac_secret: SECRET });
      expect((await api.get(SLOT)).body).toMatchObject({ hmac_secret: SECRET });
    },
  );

  rule('SETTINGS-02', slot, async ({ api }) => {
    const configuration = { url: URL_A, hmac_secret: SECRET, actions: ALL_ACTIONS };
    const saved = await api.post(SLOT, configuration);
    expectSuccess(saved);
    const { url, actions } = configuration;
    expect(saved.body).toMatchObject({ url, actions });
  });

  rule('SETTINGS-03', slot, async ({ api }) => {
    await api.post(SLOT, { url: URL_A, hmac_secret: SECRET, actions: ['product_generated'] });
    await api.post(SLOT, { url: URL_B });
    const current = webhookShape.parse((await api.get(SLOT)).body);
    expect(current.url).toBe(URL_B);
    expect(current.hmac_secret ?? '').toBe('');
    expect([[], [...ALL_ACTIONS].sort()]).toContainEqual([...(current.actions ?? [])].sort());
  });

  rule('SETTINGS-04', slot, async ({ api }) => {
    const { body } = await api.post(SLOT, { url: URL_A, hmac_secret: SECRET });
    expectFieldErrors(await api.post(SLOT, { url: 'nowhere', hmac_secret: 5 }), 'url', 'hmac_secret');
    expect((await api.get(SLOT)).body).toEqual(body);
  });

  rule('SETTINGS-05', slot, async ({ api }) => {
    await api.post(SLOT, { url: URL_A });
    expectSuccess(await api.delete(SLOT));
    const { body } = await api.get(SLOT);
    expect(webhookShape.safeParse(body).data?.url).not.toBe(URL_A);
  });

  rule('SETTINGS-06', slot, async ({ api }) => {
    await api.delete(SLOT);
    expectDetail(await api.get(SLOT), 404);
  });
}
