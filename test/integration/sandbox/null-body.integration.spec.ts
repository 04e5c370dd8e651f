import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { expectFieldErrors, productOf, SandboxControl } from '../../contract/harness.js';

let own: SandboxControl;
beforeAll(async () => {
  own = await SandboxControl.start();
});
afterAll(async () => own.stop());

it.each(['PUT', 'PATCH'])('%s of a JSON null is refused, and empties no product', async (method) => {
  const { id } = productOf(await own.api.post('/products/', { name: 'Chair' }));
  expectFieldErrors(
    await own.api.call(method, `/products/${String(id)}/`, { body: null }),
    'non_field_errors',
  );
  expect(productOf(await own.api.get(`/products/${String(id)}/`))).toMatchObject({ name: 'Chair' });
});

it('POST of a JSON null creates no product', async () => {
  const before = (await own.api.get('/products/')).body;
  expectFieldErrors(await own.api.post('/products/', null), 'non_field_errors');
  expect((await own.api.get('/products/')).body).toEqual(before);
});
