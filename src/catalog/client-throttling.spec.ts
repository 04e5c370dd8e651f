import { beforeEach, describe, expect, it } from '@jest/globals';
import { inBackground } from './background.js';
import type { CatalogClient } from './client.js';
import {
  FakeService,
  PRODUCT,
  VirtualTime,
  type Reply,
} from '../../test/support/catalog-client/fake-service.js';
import { failureOf } from '../../test/support/failure-of.js';

const service = FakeService.ofFile();
let time: VirtualTime;
beforeEach(() => {
  time = new VirtualTime();
});

const httpDate = (ms: number) => new Date(time.now().getTime() + ms).toUTCString();
const replies = (...list: Reply[]) => {
  service.handler = () => list.shift() ?? { json: PRODUCT };
};
const products = [{ id: 1, externalId: 'a' }];

describe('429 and 503', () => {
  it.each([
    [429, 'seconds', () => '5'],
    [503, 'seconds', () => '5'],
    [429, 'a date', () => httpDate(5000)],
    [503, 'a date', () => httpDate(5000)],
  ])(
    '[LIMIT-01] %d with Retry-After as %s is waited out, also for what may not be repeated',
    async (status, _form, header) => {
      replies({ status, headers: { 'retry-after': header() } });
      await service.client({}, time).generate(products);
      expect(service.asked).toHaveLength(2);
      expect(Math.round(time.total / 100) * 100).toBe(5000);
    },
  );

  it('[LIMIT-01] without Retry-After the waits grow, and end after a minute in all', async () => {
    service.handler = () => ({ status: 429, json: { detail: 'slow down' } });
    const error = await failureOf(service.client({}, time).upsertProduct({ name: 'a' }));
    expect(error).toMatchObject({ code: 'throttled', status: 429, outcomeUnknown: false });
    expect(time.total).toBeGreaterThan(30_000);
    expect(time.total).toBeLessThanOrEqual(61_000);
  });

  it('a service that says "now" over and over is not asked without a pause forever', async () => {
    service.handler = () => ({ status: 429, headers: { 'retry-after': '0' } });
    expect(await failureOf(service.client({}, time).getProduct(7))).toMatchObject({ code: 'throttled' });
    expect(service.asked.length).toBeLessThan(12);
  });

  it('[LIMIT-01] a longer wait than allowed is the caller’s to plan, and nobody else is sent meanwhile', async () => {
    replies({ status: 429, headers: { 'retry-after': '600' } });
    const client = service.client({}, time);
    expect(await failureOf(client.getProduct(7))).toMatchObject({ code: 'throttled', retryAfterMs: 600_000 });
    expect(await failureOf(client.getProduct(8))).toMatchObject({ code: 'throttled', retryAfterMs: 600_000 });
    expect(service.asked).toHaveLength(1);
    time.advance(600_000);
    await client.getProduct(8);
    expect(service.asked).toHaveLength(2);
  });

  it('503 without Retry-After: an upsert waits and is repeated, and ends as a fault', async () => {
    replies({ status: 503 }, { status: 503 });
    await service.client({}, time).upsertProduct({ name: 'a' });
    expect(service.asked).toHaveLength(3);
    service.handler = () => ({ status: 503 });
    expect(await failureOf(service.client({}, time).upsertProduct({ name: 'a' }))).toMatchObject({
      code: 'transient',
      outcomeUnknown: true,
    });
  });

  it('408 is waited for and repeated', async () => {
    replies({ status: 408 });
    await service.client({}, time).updateProduct(7, { name: 'a' });
    expect(service.asked).toHaveLength(2);
  });

  it('a login that is throttled waits like everything else', async () => {
    replies(
      { status: 429, headers: { 'retry-after': '3' } },
      { json: { access: 'a-1-1', refresh: 'r-1-1' } },
    );
    await service.client({ auth: { email: 'a@example.com', password: 'pass-word' } }, time).getProduct(7);
    expect(service.lines()).toEqual(['POST /login/', 'POST /login/', 'GET /products/7/']);
  });
});

it('requests of one client start no faster than requestsPerSecond, login and pages among them', async () => {
  service.handler = () => ({ json: PRODUCT });
  const client = service.client({ requestsPerSecond: 10 }, time);
  const before = time.now().getTime();
  await Promise.all(Array.from({ length: 31 }, () => client.getProduct(7)));
  expect(time.now().getTime() - before).toBeGreaterThanOrEqual(2900);
});

describe('requests at once', () => {
  it('asks the caller again when a write is about to go out, and a refusal keeps it from being sent', async () => {
    replies({ status: 429, headers: { 'retry-after': '5' } });
    const waited: number[] = [];
    const beforeSend = (): void => {
      waited.push(Math.round(time.total / 1000));
      if (waited.length === 3) throw new Error('not ours any more');
    };
    const client = service.client({}, time);
    await client.upsertProduct({ name: 'a' }, { beforeSend });
    await expect(client.updateProduct(7, { name: 'a' }, { beforeSend })).rejects.toThrow('not ours any more');
    expect(waited).toEqual([0, 5, 5]);
    expect(service.asked).toHaveLength(2);
    await client.getProduct(7);
  });

  it.each<[string, (client: CatalogClient, beforeSend: () => void) => Promise<unknown>]>([
    ['POST', (client, beforeSend) => client.upsertProduct({}, { beforeSend })],
    ['PATCH', (client, beforeSend) => client.updateProduct(7, {}, { beforeSend })],
    ['PUT', (client, beforeSend) => client.replaceProduct(7, {}, { beforeSend })],
    ['DELETE', (client, beforeSend) => client.deleteProduct(7, { beforeSend })],
    ['generation', (client, beforeSend) => client.generate(products, { beforeSend })],
    ['an upload', (client, beforeSend) => client.uploadCsv(Buffer.from('a'), 'a.csv', { beforeSend })],
  ])(
    '%s proves its lease after the wait for the rate limit, and is not sent without it',
    async (_what, write) => {
      const client = service.client({ requestsPerSecond: 1 }, time);
      service.handler = () => ({ json: PRODUCT });
      await Promise.all([client.getProduct(7), client.getProduct(7)]);
      let isHeld = true;
      const sleep = time.total;
      const written = write(client, () => {
        // The lease was there when the call began, and is lost while it waits.
        if (time.total > sleep) isHeld = false;
        if (!isHeld) throw new Error('another worker has it');
      });
      await expect(written).rejects.toThrow('another worker has it');
      expect(service.lines()).toEqual(['GET /products/7/', 'GET /products/7/']);
    },
  );

  it('are sixteen at most, and those in the background hold back no other', async () => {
    let underWay = 0;
    let most = 0;
    const released = Promise.withResolvers<undefined>();
    service.handler = async ({ path }) => {
      if (path === '/products/7/') return { json: PRODUCT };
      most = Math.max(most, ++underWay);
      await released.promise;
      underWay -= 1;
      return { json: PRODUCT };
    };
    const client = service.client({}, time);
    const waiting = inBackground(() =>
      Promise.all(Array.from({ length: 30 }, () => client.upsertProduct({ name: 'a' }))),
    );
    await client.getProduct(7);
    released.resolve(undefined);
    await waiting;
    expect(most).toBe(16);
  });
});
