import { expect } from '@jest/globals';
import { resolveSettings, RETRY_DELAYS_MS } from '../../../src/sandbox/catalog/settings.js';
import { inOwnSandbox, type RuleTest } from '../harness.js';
import { FAILS, SECRET, deliver, deliveriesOf, generate, onlyDelivery, parse, settled } from './notifying.js';

/** "Delivery". */
export function deliveryRules(rule: RuleTest): void {
  rule('DELIVERY-01', { needs: ['deliveries'] }, async (contract) => {
    const received = await onlyDelivery(contract);
    expect(received.method).toBe('POST');
    expect(received.headers['content-type']).toMatch(/^application\/json\b/);
  });

  inOwnSandbox(rule, 'DELIVERY-02', { deliveryTimeoutMs: 50, retryDelaysMs: [] }, async (own, contract) => {
    expect(resolveSettings({ databaseUrl: '' }).deliveryTimeoutMs).toBe(10_000);
    await deliver(contract, { own, replies: ['silence'] });
    expect(await settled(own, 1)).toMatchObject({
      state: 'exhausted',
      attempts: [{ httpStatus: null, error: expect.stringContaining('50 ms') }],
    });
  });

  inOwnSandbox(rule, 'DELIVERY-03', {}, async (own, contract) => {
    for (const status of [200, 201, 202, 204, 299]) {
      await deliver(contract, { own, replies: [status] });
      expect(await settled(own, 1)).toMatchObject({
        state: 'delivered',
        attempts: [{ httpStatus: status }],
      });
    }
  });

  inOwnSandbox(rule, 'DELIVERY-04', {}, async (own, contract) => {
    for (const status of [400, 401, 404, 410, 429]) {
      await deliver(contract, { own, replies: [status] });
      expect(await settled(own, 1)).toMatchObject({ state: 'refused', attempts: [{ httpStatus: status }] });
    }
  });

  for (const [id, first] of [
    ['DELIVERY-05', 503],
    ['DELIVERY-06', 'silence'],
    ['DELIVERY-07', 'reset'],
  ] as const) {
    inOwnSandbox(rule, id, { deliveryTimeoutMs: 100 }, async (own, contract) => {
      const { path } = await deliver(contract, { own, replies: [first, 200] });
      expect(await settled(own, 1)).toMatchObject({ state: 'pending' });
      own.clock.advance(1_000);
      await contract.receiver.waitFor(path, 2);
      expect(await settled(own, 2)).toMatchObject({
        state: 'delivered',
        attempts: [{}, { httpStatus: 200 }],
      });
    });
  }

  inOwnSandbox(rule, 'DELIVERY-08', {}, async (own, contract) => {
    expect(RETRY_DELAYS_MS).toEqual([1_000, 8_000, 60_000, 120_000, 420_000]);
    const { path } = await deliver(contract, { own, secret: SECRET, replies: [500] });
    for (const [index, delayMs] of RETRY_DELAYS_MS.entries()) {
      const waiting = await settled(own, index + 1);
      expect(waiting.state).toBe('pending');
      const waitMs = new Date(waiting.nextAttemptAt).getTime() - own.clock.now().getTime();
      expect(Math.abs(waitMs - delayMs)).toBeLessThan(900);
      expect(contract.receiver.at(path)).toHaveLength(index + 1);
      own.clock.advance(delayMs);
    }
    expect((await settled(own, 6)).state).toBe('exhausted');
    own.clock.advance(24 * 3600 * 1000);
    await deliver(contract, { own });
    const received = contract.receiver.at(path);
    expect(received).toHaveLength(6);
    // The same bytes and, as a delivery has one documented timestamp, the same signature.
    expect(new Set(received.map(({ body }) => body.toString('hex'))).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers['x-webhook-timestamp'])).size).toBe(1);
  });

  rule('DELIVERY-09', { needs: ['sandbox'] }, async (contract) => {
    const { path, productId } = await deliver(contract);
    await deliveriesOf(contract, path, productId, 1);
    await generate(contract, productId);
    await contract.api.patch(`/products/${productId}/`, FAILS);
    await generate(contract, productId);
    // Another event of the same product is another pair.
    const received = await deliveriesOf(contract, path, productId, 2);
    expect(received.map((delivery) => parse(delivery).action)).toEqual([
      'product_generated',
      'product_generation_failed',
    ]);
  });

  const again = { note: 'unless the sandbox is told to notify each generation', notifyAgain: true };
  inOwnSandbox(rule, 'DELIVERY-09', again, async (own, contract) => {
    const { path, productId } = await deliver(contract, { own });
    await generate(contract, productId, own);
    expect(await contract.receiver.waitFor(path, 2)).toHaveLength(2);
  });

  inOwnSandbox(rule, 'DELIVERY-10', {}, async (own, contract) => {
    const target = `/${contract.unique('target')}`;
    const { path } = await deliver(contract, {
      own,
      replies: [{ redirect: contract.receiver.url(target) }, 200],
    });
    expect(await settled(own, 1)).toMatchObject({ state: 'pending', attempts: [{ httpStatus: 302 }] });
    own.clock.advance(1_000);
    await contract.receiver.waitFor(path, 2);
    expect(contract.receiver.at(target)).toEqual([]);
  });

  inOwnSandbox(rule, 'DELIVERY-11', {}, async (own, contract) => {
    const { path } = await deliver(contract, { own, secret: SECRET, replies: [500, 500, 200] });
    await settled(own, 1);
    own.clock.advance(1_000);
    await settled(own, 2);
    await own.restart();
    own.clock.advance(8_000);
    await contract.receiver.waitFor(path, 3);
    expect(await settled(own, 3)).toMatchObject({ state: 'delivered' });
  });
}
