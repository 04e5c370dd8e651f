import { expect } from '@jest/globals';
import { expectDetail, expectFieldErrors, type RuleTest } from '../harness.js';
import { webhookShape } from '../shapes.js';

const ALL_ACTIONS = ['product_generated', 'product_generation_failed', 'product_generation_no_urls'];
const SECRET = 'a secret that both sides know';

/** "Webhook configuration" and "/settings/webhooks/". A slot that is somebody else's is left alone: these need a sandbox. */
export function settingsRules(rule: RuleTest): void {
  const sandboxOnly = { needs: ['sandbox'] } as const;

  rule(
    'HOOK-01',
    async ({ api }) => {
      expectFieldErrors(await api.post('/settings/webhooks/', {}), 'url');
      expectFieldErrors(await api.post('/settings/webhooks/', { url: 'nowhere' }), 'url');
      expectFieldErrors(await api.post('/settings/webhooks/', { url: 7 }), 'url');
    },
    sandboxOnly,
  );

  rule(
    'HOOK-02',
    async ({ api }) => {
      expect((await api.post('/settings/webhooks/', { url: 'https://example.com/a' })).status).toBe(200);
    },
    sandboxOnly,
  );

  rule(
    'HOOK-03',
    async ({ api }) => {
      const answer = await api.post('/settings/webhooks/', {
        url: 'https://example.com/a',
        actions: ['product_deleted'],
      });
      expectFieldErrors(answer, 'actions.0');
      for (const action of ALL_ACTIONS) {
        expect(
          (await api.post('/settings/webhooks/', { url: 'https://example.com/a', actions: [action] })).status,
        ).toBe(200);
      }
    },
    sandboxOnly,
  );

  rule(
    'HOOK-04',
    async ({ api }) => {
      const saved = webhookShape.parse(
        (await api.post('/settings/webhooks/', { url: 'https://example.com/a' })).body,
      );
      expect([null, undefined, [...ALL_ACTIONS].sort()]).toContainEqual(
        saved.actions && [...saved.actions].sort(),
      );
    },
    sandboxOnly,
  );

  rule(
    'HOOK-05',
    async ({ api }) => {
      await api.post('/settings/webhooks/', { url: 'https://example.com/a' });
      await api.post('/settings/webhooks/', { url: 'https://example.com/b' });
      expect((await api.get('/settings/webhooks/')).body).toMatchObject({ url: 'https://example.com/b' });
    },
    sandboxOnly,
  );

  rule(
    'SETTINGS-01',
    async ({ api }) => {
      const configuration = {
        url: 'https://example.com/a',
        hmac_secret: SECRET,
        actions: ['product_generated'],
      };
      await api.post('/settings/webhooks/', configuration);
      expect((await api.get('/settings/webhooks/')).body).toEqual(configuration);
    },
    sandboxOnly,
  );

  rule(
    'SETTINGS-02',
    async ({ api }) => {
      const configuration = { url: 'https://example.com/a', hmac_secret: SECRET, actions: ALL_ACTIONS };
      const saved = await api.post('/settings/webhooks/', configuration);
      expect(saved).toMatchObject({ status: 200, body: configuration });
    },
    sandboxOnly,
  );

  rule(
    'SETTINGS-03',
    async ({ api }) => {
      await api.post('/settings/webhooks/', {
        url: 'https://example.com/a',
        hmac_secret: SECRET,
        actions: ['product_generated'],
      });
      await api.post('/settings/webhooks/', { url: 'https://example.com/b' });
      const current = (await api.get('/settings/webhooks/')).body;
      expect(current).toEqual({ url: 'https://example.com/b', hmac_secret: null, actions: ALL_ACTIONS });
    },
    sandboxOnly,
  );

  rule(
    'SETTINGS-04',
    async ({ api }) => {
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
    },
    sandboxOnly,
  );

  rule(
    'SETTINGS-05',
    async ({ api }) => {
      await api.post('/settings/webhooks/', { url: 'https://example.com/a' });
      expect(await api.delete('/settings/webhooks/')).toMatchObject({ status: 204, body: undefined });
      expectDetail(await api.get('/settings/webhooks/'), 404);
    },
    sandboxOnly,
  );

  rule(
    'SETTINGS-06',
    async ({ api }) => {
      await api.delete('/settings/webhooks/');
      expectDetail(await api.get('/settings/webhooks/'), 404);
    },
    sandboxOnly,
  );
}
