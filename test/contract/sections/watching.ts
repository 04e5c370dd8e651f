import { expect } from '@jest/globals';
import type { Contract } from '../contract.js';
import type { RuleTest } from '../harness.js';
import type { Reply } from '../receiver.js';
import { afterQuiet, generate, parse, watch } from './notifying.js';

const LEAST_RETRIES = 2;
const RETRY_DELAYS_MS = [1_000, 8_000, 60_000, 120_000, 420_000];

/**
 * "Events" and "Delivery" of a service of which only the URL is known: a receiver watches it in real time. Sandboxes of the
 * suite's own prove the same rules with a clock that the test moves.
 */
export function watchedRules(rule: RuleTest): void {
  const byUrl = { needs: ['url', 'deliveries'], note: 'as a receiver sees it' } as const;

  rule('EVENT-04', byUrl, async (contract) => {
    const path = await watch(contract, { actions: ['product_generation_no_urls'] });
    const productId = await generated(contract);
    await contract.eventually('generated product', () => hasSucceeded(contract, productId));
    expect(await afterQuiet(contract, path, productId)).toEqual([]);
  });

  rule('EVENT-06', byUrl, async (contract) => {
    const path = await watch(contract);
    await contract.api.delete('/settings/webhooks/');
    const productId = await generated(contract);
    await contract.eventually('generated product', () => hasSucceeded(contract, productId));
    expect(await afterQuiet(contract, path, productId)).toEqual([]);
  });

  for (const [id, statuses] of [
    ['DELIVERY-03', [200, 201, 202, 204, 299]],
    ['DELIVERY-04', [400, 401, 404, 410, 429]],
  ] as const) {
    rule(id, byUrl, async (contract) => {
      const path = await watch(contract, { replies: statuses });
      for (const _ of statuses) await generated(contract);
      await contract.receiver.waitFor(path, statuses.length, contract.target.waitMs);
      const products = (await afterQuiet(contract, path)).map((received) => parse(received).product?.id);
      expect(products).toHaveLength(statuses.length);
      expect(new Set(products).size).toBe(statuses.length);
    });
  }

  /** The attempts of one delivery whose first is not answered: two rules are about them, and the silence lasts ten seconds. */
  let unanswered: ReturnType<typeof attempts> | undefined;
  const afterSilence = (contract: Contract) => (unanswered ??= attempts(contract, ['silence', 200], 2));

  rule('DELIVERY-02', byUrl, async (contract) => {
    const [first, second] = await afterSilence(contract);
    // The timeout of the first attempt, and the first wait of about a second.
    const betweenMs = (second?.at ?? 0) - (first?.at ?? 0);
    expect(betweenMs).toBeGreaterThan(9_000);
    expect(betweenMs).toBeLessThan(16_000);
  });

  for (const [id, tried] of [
    ['DELIVERY-05', (contract: Contract) => attempts(contract, [503, 200], 2)],
    ['DELIVERY-06', afterSilence],
    ['DELIVERY-07', (contract: Contract) => attempts(contract, ['reset', 200], 2)],
  ] as const) {
    rule(id, byUrl, async (contract) => {
      const [before, after] = await tried(contract);
      expect(after?.body).toEqual(before?.body);
    });
  }

  rule(
    'DELIVERY-08',
    { ...byUrl, note: 'as a receiver sees it; --all-retries waits for more than the first two' },
    async (contract) => {
      const retries = contract.target.allRetries ? RETRY_DELAYS_MS.length : LEAST_RETRIES;
      const received = await attempts(contract, [500], retries + 1);
      for (const [index, delayMs] of RETRY_DELAYS_MS.slice(0, retries).entries()) {
        const waitMs = (received[index + 1]?.at ?? 0) - (received[index]?.at ?? 0);
        // "Roughly": within a half and the double, and a second for the way.
        expect(waitMs).toBeGreaterThan(delayMs / 2);
        expect(waitMs).toBeLessThan(delayMs * 2 + 1_000);
      }
    },
  );

  rule('DELIVERY-09', { ...byUrl, note: 'as a receiver sees one generation' }, async (contract) => {
    const path = await watch(contract);
    const productId = await generated(contract);
    await contract.receiver.waitFor(path, 1, contract.target.waitMs);
    expect(await afterQuiet(contract, path, productId)).toHaveLength(1);
  });

  rule(
    'DELIVERY-09',
    {
      ...byUrl,
      note: 'as a receiver sees a second generation',
      assumes: '“never twice” is meant forever, not for each generation',
    },
    async (contract) => {
      const path = await watch(contract);
      const productId = await generated(contract);
      await contract.receiver.waitFor(path, 1, contract.target.waitMs);
      await generate(contract, productId);
      expect(await afterQuiet(contract, path, productId)).toHaveLength(1);
    },
  );
}

/** Requests the generation of a new product; answers its id. */
async function generated(contract: Contract): Promise<number> {
  const { id } = await contract.create({ name: 'Kettle' });
  await generate(contract, id);
  return id;
}

/** True once the listing shows the product as generated. */
async function hasSucceeded(contract: Contract, productId: number): Promise<true | undefined> {
  const answer = await contract.api.get('/products/', { tasks: 'success', order_by: 'task' });
  const { results } = answer.body as { results: readonly { id: number }[] };
  return results.some(({ id }) => id === productId) ? true : undefined;
}

/** The first `count` attempts to deliver the result of one new product. */
async function attempts(contract: Contract, replies: readonly Reply[], count: number) {
  const path = await watch(contract, { replies });
  await generated(contract);
  const longestMs = contract.target.allRetries ? 700_000 : 30_000;
  const received = await contract.receiver.waitFor(path, count, contract.target.waitMs + longestMs);
  return received.slice(0, count);
}
