import { createHmac } from 'node:crypto';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import { signatureHeaders } from '../../../src/sandbox/catalog/webhooks/signature.js';
import { inOwnSandbox, productOf, type RuleTest } from '../harness.js';
import { FAILS, HAS_NO_URLS, SECRET, deliver, generate, onlyDelivery, parse } from './notifying.js';

/** "Events", "Delivery body" and "Signature". */
export function eventRules(rule: RuleTest): void {
  const sandboxOnly = { needs: ['sandbox'] } as const;

  for (const [id, action, body, need] of [
    ['EVENT-01', 'product_generated', {}, 'deliveries'],
    ['EVENT-02', 'product_generation_failed', FAILS, 'failing'],
    ['EVENT-03', 'product_generation_no_urls', HAS_NO_URLS, 'no urls'],
  ] as const) {
    rule(id, { needs: [need] }, async (contract) => {
      expect(parse(await onlyDelivery(contract, { body }))).toMatchObject({ action });
    });
  }

  rule('EVENT-04', sandboxOnly, async (contract) => {
    const { productId } = await deliver(contract, { actions: ['product_generation_failed'] });
    const deliveries = await contract.own.sandbox.deliveries();
    expect(deliveries.filter((delivery) => delivery.productId === productId)).toEqual([]);
    const wanted = await onlyDelivery(contract, { actions: ['product_generation_failed'], body: FAILS });
    expect(parse(wanted).action).toBe('product_generation_failed');
  });

  rule('EVENT-05', { needs: ['failing', 'no urls'] }, async (contract) => {
    for (const body of [{}, FAILS, HAS_NO_URLS])
      expect(parse(await onlyDelivery(contract, { body }))).toBeDefined();
  });

  rule('EVENT-06', sandboxOnly, async (contract) => {
    const { own } = contract;
    await own.api.delete('/settings/webhooks/');
    const product = await contract.create();
    await generate(contract, product.id);
    expect((await own.sandbox.deliveries()).filter((delivery) => delivery.productId === product.id)).toEqual(
      [],
    );
  });

  rule('BODY-01', { needs: ['deliveries'] }, async (contract) => {
    expect(parse(await onlyDelivery(contract))).toMatchObject({
      action: 'product_generated',
      status: 'SUCCESS',
    });
  });

  rule(
    'BODY-01',
    { note: 'of a failure', needs: ['failing'], assumes: 'the status and the words of a failure' },
    async (contract) => {
      expect(parse(await onlyDelivery(contract, { body: FAILS }))).toMatchObject({
        status: 'FAILURE',
        reason_for_failure: 'Content generation failed.',
      });
    },
  );

  rule('BODY-02', { needs: ['deliveries'] }, async (contract) => {
    const { consumed, remaining } = parse(await onlyDelivery(contract)).credits;
    expect(Number.isFinite(consumed) && Number.isFinite(remaining)).toBe(true);
  });

  rule(
    'BODY-02',
    { note: 'one for each success', needs: ['failing'], assumes: 'a success consumes one credit' },
    async (contract) => {
      const first = parse(await onlyDelivery(contract)).credits;
      expect(first.consumed).toBe(1);
      const second = parse(await onlyDelivery(contract)).credits;
      expect(second).toEqual({ consumed: 1, remaining: first.remaining - 1 });
      expect(parse(await onlyDelivery(contract, { body: FAILS })).credits).toEqual({
        consumed: 0,
        remaining: second.remaining,
      });
    },
  );

  rule('BODY-03', { needs: ['deliveries'] }, async (contract) => {
    const { task } = parse(await onlyDelivery(contract));
    expect(Date.parse(task.updated_at)).toBeGreaterThanOrEqual(Date.parse(task.created_at));
  });

  rule(
    'BODY-03',
    {
      note: 'as GET /background-tasks/{task_id}/ shows it',
      needs: ['deliveries', 'tasks'],
      assumes: 'the names of a task’s fields',
    },
    async (contract) => {
      const { task } = parse(await onlyDelivery(contract));
      expect((await contract.api.get(`/background-tasks/${task.id}/`)).body).toMatchObject({
        task_id: task.id,
        status: task.status,
        created_at: task.created_at,
      });
    },
  );

  rule('BODY-04', { needs: ['deliveries'] }, async (contract) => {
    const { task } = parse(await onlyDelivery(contract, { body: { url: 'https://example.com/kettle' } }));
    expect(Array.isArray(task.urls)).toBe(true);
  });

  rule(
    'BODY-04',
    {
      note: 'the url of the product among them',
      needs: ['no urls'],
      assumes: 'the url of a product is one of its source URLs',
    },
    async (contract) => {
      const url = 'https://example.com/kettle';
      const { task } = parse(await onlyDelivery(contract, { body: { url } }));
      expect(task.urls[0]).toMatchObject({ url, status: 'SUCCESS', is_user_provided_link: true });
      expect(task.urls.some((source) => !source.is_user_provided_link)).toBe(true);
      expect(parse(await onlyDelivery(contract, { body: HAS_NO_URLS })).task.urls).toEqual([]);
    },
  );

  rule('BODY-05', { needs: ['deliveries'] }, async (contract) => {
    const { product } = parse(await onlyDelivery(contract));
    const read = await contract.read(product?.id ?? 0);
    expect(product).toMatchObject({ id: read.id, external_id: read['external_id'] });
    expect(Array.isArray(product?.sections)).toBe(true);
  });

  rule(
    'BODY-05',
    { note: 'as GET answers it', needs: ['deliveries'], assumes: 'it is in the default locale' },
    async (contract) => {
      const { product } = parse(await onlyDelivery(contract));
      expect(product?.sections.length).toBeGreaterThan(0);
      expect(product).toEqual(await contract.read(product?.id ?? 0));
    },
  );

  inOwnSandbox(rule, 'BODY-06', { generationDelayMs: 60_000 }, async (own, contract) => {
    const path = `/${contract.unique('hook')}`;
    await own.api.post('/settings/webhooks/', { url: contract.receiver.url(path) });
    const product = productOf(await own.api.post('/products/', { name: 'Kettle' }));
    await own.api.post('/products/generate/', { product_ids: [product.id] });
    await own.api.delete(`/products/${product.id}/`);
    own.clock.advance(60_000);
    const [received] = await contract.receiver.waitFor(path, 1);
    expect(received && parse(received)).toMatchObject({
      action: 'product_generation_failed',
      product: null,
    });
  });

  rule('BODY-07', { needs: ['deliveries'] }, async (contract) => {
    expect(parse(await onlyDelivery(contract)).reason_for_failure ?? '').toBe('');
  });

  rule('SIGN-01', { needs: ['deliveries'] }, async (contract) => {
    const { headers } = await onlyDelivery(contract, { secret: SECRET });
    expect(headers['x-webhook-timestamp']).toMatch(/^\d{10}$/);
    const seconds = contract.now().getTime() / 1000;
    // A service's clock need not agree with this computer's to the second.
    expect(Math.abs(Number(headers['x-webhook-timestamp']) - seconds)).toBeLessThan(300);
  });

  rule('SIGN-02', { needs: ['deliveries'] }, async (contract) => {
    const { headers, body } = await onlyDelivery(contract, { secret: SECRET });
    const digest = createHmac('sha256', SECRET)
      .update(`${String(headers['x-webhook-timestamp'])}.`)
      .update(body);
    expect(headers['x-webhook-signature']).toBe(`sha256=${digest.digest('hex')}`);
  });

  rule('SIGN-03', { needs: ['deliveries'] }, async (contract) => {
    const { headers } = await onlyDelivery(contract);
    expect(headers).not.toHaveProperty('x-webhook-timestamp');
    expect(headers).not.toHaveProperty('x-webhook-signature');
  });

  rule('SIGN-04', { needs: ['deliveries'] }, async (contract) => {
    const { headers, body } = await onlyDelivery(contract, {
      secret: SECRET,
      body: { metadata: { ключ: 'ünï – "quoted"' } },
    });
    const stamp = String(headers['x-webhook-timestamp']);
    const signature = String(headers['x-webhook-signature']);
    expect(await webCryptoVerifies(SECRET, stamp, body, signature)).toBe(true);
    const reserialised = Buffer.from(JSON.stringify(JSON.parse(body.toString('utf8')), null, 1));
    expect(await webCryptoVerifies(SECRET, stamp, reserialised, signature)).toBe(false);
  });

  rule('SIGN-04', { note: 'for any body and secret', needs: ['sandbox'] }, async () => {
    const texts = fc.json().map((text) => JSON.stringify(JSON.parse(text)));
    await fc.assert(
      fc.asyncProperty(texts, fc.string({ minLength: 1 }), fc.nat(), async (body, secret, seconds) => {
        const signed = signatureHeaders(secret, seconds, body);
        const stamp = signed['X-Webhook-Timestamp'] ?? '';
        const signature = signed['X-Webhook-Signature'] ?? '';
        expect(await webCryptoVerifies(secret, stamp, Buffer.from(body), signature)).toBe(true);
        expect(await webCryptoVerifies(secret, stamp, Buffer.from(`${body} `), signature)).toBe(false);
        expect(await webCryptoVerifies(secret, `${stamp}0`, Buffer.from(body), signature)).toBe(false);
      }),
      { numRuns: 50, seed: 20_261_120 },
    );
  });
}

async function webCryptoVerifies(
  secret: string,
  stamp: string,
  body: Buffer,
  signature: string,
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, [
    'verify',
  ]);
  const digest = Buffer.from(signature.replace(/^sha256=/, ''), 'hex');
  return crypto.subtle.verify('HMAC', key, digest, Buffer.concat([Buffer.from(`${stamp}.`), body]));
}
