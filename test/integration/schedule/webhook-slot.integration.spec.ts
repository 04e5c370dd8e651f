import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { WebhookSlot } from '../../../src/connections/webhook-slot.js';
import { refusal } from '../../support/fake-catalog.js';
import { Stages, WORKSPACE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.settings = { store: {}, workspace: { webhook: { hmacSecret: 'a-secret-of-ours' } } };
});
afterEach(() => {
  jest.restoreAllMocks();
});

const OURS = 'https://sync.example.com/webhooks/catalog/default';
const FOREIGN = { url: 'https://elsewhere.example.com/hook' };

const slot = () => new WebhookSlot({ server: { publicUrl: 'https://sync.example.com/' } }, stages.state);
const workspace = () => stages.connections.workspace(WORKSPACE)!;
const writes = () => stages.catalog.script.count('putWebhookSettings');

describe('the webhook slot', () => {
  it('that is free is filled, with the secret and every action', async () => {
    expect(await slot().register(workspace(), { force: false })).toMatchObject({ state: 'ours' });
    expect(stages.catalog.webhook).toEqual({
      ...{ url: OURS, hmac_secret: 'a-secret-of-ours' },
      actions: ['product_generated', 'product_generation_failed', 'product_generation_no_urls'],
    });
  });

  it('is not written without a secret: unsigned deliveries would be anybody’s', async () => {
    stages.settings = { store: {}, workspace: {} };
    await expect(slot().register(workspace(), { force: true })).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('hmacSecret'),
    });
    expect(writes()).toBe(0);
  });

  it.each([
    ['another secret', { hmac_secret: 'an-old-secret' }],
    ['fewer actions', { hmac_secret: 'a-secret-of-ours', actions: ['product_generated'] }],
    ['no action at all', { hmac_secret: 'a-secret-of-ours', actions: [] }],
  ])('with our URL and %s is outdated', async (_what, rest) => {
    stages.catalog.webhook = { url: OURS, ...rest };
    const found = await slot().look(workspace());
    expect(found.state).toBe('outdated');
    expect(found.detail).not.toContain('secret-');
    expect(await slot().register(workspace(), { force: false })).toMatchObject({ state: 'ours' });
    expect(await slot().look(workspace())).toMatchObject({ state: 'ours' });
  });

  it.each([
    ['the same address in another spelling', { url: `${OURS}/`, hmac_secret: 'a-secret-of-ours' }],
    [
      'all actions in another order',
      {
        ...{ url: OURS, hmac_secret: 'a-secret-of-ours' },
        actions: [
          'product_generation_no_urls',
          'product_generated',
          'product_generation_failed',
          'added_later',
        ],
      },
    ],
  ])('with %s is ours', async (_what, held) => {
    stages.catalog.webhook = held;
    expect(await slot().look(workspace())).toMatchObject({ state: 'ours' });
  });

  describe.each([
    ['hides the secret', () => undefined],
    ['answers null in its place', () => null],
    ['masks it', (secret: string) => `****${secret.slice(-4)}`],
    ['shows a mask that looks like a secret', (secret: string) => `s-${String(secret.length)}`],
  ])('of a service that %s', (_what, mask) => {
    const show = (): void => {
      const stored = stages.catalog.webhook;
      const read = jest.spyOn(stages.catalog, 'getWebhookSettings');
      read.mockImplementation(async () =>
        Promise.resolve(stored === null ? null : { ...stored, hmac_secret: mask(stored.hmac_secret ?? '') }),
      );
    };

    it('is ours after it was written, and outdated once the service shows something else', async () => {
      await slot().register(workspace(), { force: false });
      show();
      await slot().register(workspace(), { force: false });
      expect(await slot().look(workspace())).toMatchObject({ state: 'ours' });
      stages.catalog.webhook = { url: OURS, hmac_secret: 'quite-another' };
      jest.restoreAllMocks();
      expect(await slot().look(workspace())).toMatchObject({ state: 'outdated' });
    });

    it('is outdated once our own secret is another one', async () => {
      await slot().register(workspace(), { force: false });
      show();
      await slot().register(workspace(), { force: false });
      stages.settings = { store: {}, workspace: { webhook: { hmacSecret: 'a-new-secret-of-ours' } } };
      expect(await slot().look(workspace())).toMatchObject({ state: 'outdated' });
    });
  });

  it('that is somebody else’s is never written over without force', async () => {
    stages.catalog.webhook = FOREIGN;
    const finding = await slot().register(workspace(), { force: false });
    expect(finding).toMatchObject({ state: 'foreign', detail: expect.stringContaining(FOREIGN.url) });
    expect(stages.catalog.webhook).toEqual(FOREIGN);
    expect(writes()).toBe(0);
    expect(await slot().register(workspace(), { force: true })).toMatchObject({ state: 'ours' });
    expect(stages.catalog.webhook).toMatchObject({ url: OURS });
  });

  it('that is somebody else’s is shown without the credentials in its address', async () => {
    stages.catalog.webhook = { url: 'https://erp:s3cret@elsewhere.example.com/hook?key=t0ken' };
    const { detail } = await slot().register(workspace(), { force: false });
    expect(detail).toBe('the webhook slot holds https://elsewhere.example.com/hook?…, which is not ours');
  });

  it.each(['auth', 'transient'] as const)('that cannot be read (%s) is not written', async (code) => {
    stages.catalog.webhook = FOREIGN;
    stages.catalog.script.before('getWebhookSettings', refusal(code));
    expect(await slot().register(workspace(), { force: false })).toMatchObject({ state: 'unknown' });
    expect(stages.catalog.webhook).toEqual(FOREIGN);
  });

  it('that cannot be read is not emptied without force', async () => {
    stages.catalog.webhook = FOREIGN;
    stages.catalog.script.before('getWebhookSettings', refusal('transient'));
    expect(await slot().remove(workspace(), { force: false })).toMatchObject({ state: 'unknown' });
    expect(stages.catalog.webhook).toEqual(FOREIGN);
  });

  it('that cannot be written is reported', async () => {
    stages.catalog.script.before('putWebhookSettings', refusal('auth'));
    expect(await slot().register(workspace(), { force: false })).toMatchObject({
      state: 'unknown',
      detail: expect.stringContaining('could not be written'),
    });
  });

  it.each(['getWebhookSettings', 'putWebhookSettings'] as const)(
    'keeps what is known of it when the process stops during %s',
    async (call) => {
      await slot().register(workspace(), { force: false });
      stages.catalog.script.before(call, () => {
        jest.spyOn(stages.catalog, 'isClosed', 'get').mockReturnValue(true);
        return refusal('transient')();
      });
      await expect(slot().register(workspace(), { force: false })).rejects.toMatchObject({
        code: 'transient',
      });
      const state = await stages.state.workspace(WORKSPACE);
      expect(state).toMatchObject({ webhookFinding: `deliveries go to ${OURS}` });
    },
  );

  it('is kept in the workspace’s state for people, without a secret', async () => {
    await slot().register(workspace(), { force: false });
    const state = await stages.state.workspace(WORKSPACE);
    expect(state).toMatchObject({ webhookFinding: `deliveries go to ${OURS}` });
    expect(await stages.contents()).not.toContain('a-secret-of-ours');
  });

  it.each([
    ['ours', { url: OURS }, false, null],
    ['somebody else’s', FOREIGN, false, FOREIGN],
    ['somebody else’s, with force', FOREIGN, true, null],
    ['free', null, false, null],
  ])('is emptied when it is %s as far as that is ours to do', async (_whose, before, force, after) => {
    stages.catalog.webhook = before;
    await slot().remove(workspace(), { force });
    expect(stages.catalog.webhook).toEqual(after);
  });

  it('without a public URL cannot be filled', async () => {
    const without = new WebhookSlot({ server: { publicUrl: undefined } }, stages.state);
    expect(without.urlFor(workspace())).toBeNull();
    await expect(without.register(workspace(), { force: true })).rejects.toMatchObject({
      code: 'misconfigured',
    });
  });
});
