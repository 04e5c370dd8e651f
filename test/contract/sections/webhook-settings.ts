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
const SECRET = 'a secret that both sides know';

/** "Webhook configuration" and "/settings/webhooks/". A slot that is somebody else's is left alone, unless it may be borrowed. */
export function settingsRules(rule: RuleTest): void {
  const slot = { needs: ['slot'] } as const;

  rule('HOOK-01', slot, async ({ api }) => {
    expectFieldErrors(await api.post('/settings/webhooks/', {}), 'url');
    expectFieldErrors(await api.post('/settings/webhooks/', { url: 'nowhere' }), 'url');
    expectFieldErrors(await api.post('/settings/webhooks/', { url: 7 }), 'url');
  });

  rule('HOOK-02', slot, async ({ api }) => {
    expectSuccess(await api.post('/settings/webhooks/', { url: 'https://example.com/a' }));
  });

  rule('HOOK-03', slot, async ({ api }) => {
    const answer = await api.post('/settings/webhooks/', {
      url: 'https://example.com/a',
      actions: ['product_deleted'],
    });
    expectRefusalOf(answer, 'actions');
    for (const action of ALL_ACTIONS) {
      expectSuccess(
        await api.post('/settings/webhooks/', { url: 'https://example.com/a', actions: [action] }),
      );
    }
  });

  rule('HOOK-04', slot, async ({ api }) => {
    const saved = webhookShape.parse(
      (await api.post('/settings/webhooks/', { url: 'https://example.com/a' })).body,
    );
    expect([null, undefined, [...ALL_ACTIONS].sort()]).toContainEqual(
      saved.actions && [...saved.actions].sort(),
    );
  });

  rule('HOOK-05', slot, async ({ api }) => {
    await api.post('/settings/webhooks/', { url: 'https://example.com/a' });
    await api.post('/settings/webhooks/', { url: 'https://example.com/b' });
    expect((await api.get('/settings/webhooks/')).body).toMatchObject({ url: 'https://example.com/b' });
  });

  rule('SETTINGS-01', slot, async ({ api }) => {
    const configuration = {
      url: 'https://example.com/a',
      hmac_secret: SECRET,
      actions: ['product_generated'],
    };
    await api.post('/settings/webhooks/', configuration);
    const { url, actions } = configuration;
    expect((await api.get('/settings/webhooks/')).body).toMatchObject({ url, actions });
  });

  rule(
    'SETTINGS-01',
    { ...slot, note: 'the secret in full', assumes: 'GET shows the secret, not a mask of it' },
    async ({ api }) => {
      await api.post('/settings/webhooks/', { url: 'https://example.com/a', hmac_secret: SECRET });
      expect((await api.get('/settings/webhooks/')).body).toMatchObject({ hmac_secret: SECRET });
    },
  );

  rule('SETTINGS-02', slot, async ({ api }) => {
    const configuration = { url: 'https://example.com/a', hmac_secret: SECRET, actions: ALL_ACTIONS };
    const saved = await api.post('/settings/webhooks/', configuration);
    expectSuccess(saved);
    const { url, actions } = configuration;
    expect(saved.body).toMatchObject({ url, actions });
  });

  rule('SETTINGS-03', slot, async ({ api }) => {
    await api.post('/settings/webhooks/', {
      url: 'https://example.com/a',
      hmac_secret: SECRET,
      actions: ['product_generated'],
    });
    await api.post('/settings/webhooks/', { url: 'https://example.com/b' });
    const current = webhookShape.parse((await api.get('/settings/webhooks/')).body);
    expect(current.url).toBe('https://example.com/b');
    expect(current.hmac_secret ?? '').toBe('');
    expect([[], [...ALL_ACTIONS].sort()]).toContainEqual([...(current.actions ?? [])].sort());
  });

  rule('SETTINGS-04', slot, async ({ api }) => {
    const { body } = await api.post('/settings/webhooks/', {
      url: 'https://example.com/a',
      hmac_secret: SECRET,
    });
    expectFieldErrors(
      await api.post('/settings/webhooks/', { url: 'nowhere', hmac_secret: 5 }),
      'url',
      'hmac_secret',
    );
    expect((await api.get('/settings/webhooks/')).body).toEqual(body);
  });

  rule('SETTINGS-05', slot, async ({ api }) => {
    await api.post('/settings/webhooks/', { url: 'https://example.com/a' });
    expectSuccess(await api.delete('/settings/webhooks/'));
    const { body } = await api.get('/settings/webhooks/');
    expect(webhookShape.safeParse(body).data?.url).not.toBe('https://example.com/a');
  });

  rule('SETTINGS-06', slot, async ({ api }) => {
    await api.delete('/settings/webhooks/');
    expectDetail(await api.get('/settings/webhooks/'), 404);
  });
}
