import { describe, expect, it } from '@jest/globals';
import { GenerationTemplate, readGenerationAnswer } from './generation.js';

const products = [
  { id: 1, externalId: 'shopify:s:1' },
  { id: 2, externalId: 'shopify:s:2' },
];
const one = products.slice(0, 1);

describe('GenerationTemplate', () => {
  it.each([
    ['{product_ids}', [1, 2]],
    ['{external_ids}', ['shopify:s:1', 'shopify:s:2']],
    ['ids={product_ids}', 'ids=1,2'],
    [
      { a: [{ b: '{product_ids}' }], keep: [1, null, true, 'x {y}'] },
      { a: [{ b: [1, 2] }], keep: [1, null, true, 'x {y}'] },
    ],
  ])('[GENERATE-09] fills %j for all products in one request', (body, expected) => {
    const template = new GenerationTemplate({ method: 'POST', path: '/g/', body });
    expect(template.batchLimit).toBe(Number.POSITIVE_INFINITY);
    expect(template.filledBody(products)).toEqual(expected);
  });

  it.each([
    ['{product_id}', 1],
    ['{external_id}', 'shopify:s:1'],
    [
      { list: ['{product_id}'], all: '{product_ids}' },
      { list: [1], all: [1] },
    ],
    ['p-{product_id}', 'p-1'],
  ])('[GENERATE-09] %j means one request per product', (body, expected) => {
    const template = new GenerationTemplate({ method: 'POST', path: '/g/', body });
    expect(template.batchLimit).toBe(1);
    expect(template.filledBody(one)).toEqual(expected);
  });

  it('fills the path, encoded, and then needs no body', () => {
    const single = new GenerationTemplate({ method: 'POST', path: '/products/{external_id}/generate/' });
    expect(single.batchLimit).toBe(1);
    expect(single.filledPath(one)).toBe('/products/shopify%3As%3A1/generate/');
    expect(single.filledBody(one)).toBeUndefined();
    const many = new GenerationTemplate({ method: 'GET', path: '/g/?ids={product_ids}' });
    expect(many.filledPath(products)).toBe('/g/?ids=1,2');
    const none = new GenerationTemplate({ method: 'GET', path: '/g/{product_id}/', body: null });
    expect(none.filledBody(one)).toBeUndefined();
  });

  it.each([{ all: true }, undefined, '{ids}'])(
    'a body %j that names no product is a mistake of the configuration',
    (body) => {
      expect(() => new GenerationTemplate({ method: 'POST', path: '/g/', body })).toThrow(/names no product/);
    },
  );
});

describe('readGenerationAnswer', () => {
  const read = (answer: unknown, of = products) => {
    const { taskId, taskIdByProduct } = readGenerationAnswer(answer, of);
    return [taskId, Object.fromEntries(taskIdByProduct)];
  };

  it.each([
    [{ task_id: 'a' }, ['a', {}]],
    [{ id: 'c', status: 'PENDING' }, ['c', {}]],
    [{ tasks: [{ product: 2, id: 'b' }] }, [undefined, { 2: 'b' }]],
    [{ task_id: 'all', tasks: [{ product_id: '1', task_id: 7 }] }, ['all', { 1: '7' }]],
    [[{ product: { id: 2 }, id: 'b' }], [undefined, { 2: 'b' }]],
    [[{ external_id: 'shopify:s:1', task_id: 'a' }], [undefined, { 1: 'a' }]],
    [{ 1: 'a', 2: { task_id: 'b' } }, [undefined, { 1: 'a', 2: 'b' }]],
    [{ tasks: { 'shopify:s:2': 'b' } }, [undefined, { 2: 'b' }]],
    [{ results: [{ product_id: 99, task_id: 'x' }] }, [undefined, {}]],
    // No index of the database takes it, and the answer for the others would not be kept.
    [{ 1: 'x'.repeat(501), 2: 'b' }, [undefined, { 2: 'b' }]],
    [{ ok: true, tasks: 'many' }, [undefined, {}]],
    [null, [undefined, {}]],
    ['started', [undefined, {}]],
  ])('[GENERATE-01] finds the task ids in %j', (answer, expected) => {
    expect(read(answer)).toEqual(expected);
  });

  it.each([
    [{ tasks: ['a'] }, [undefined, { 1: 'a' }]],
    [[{ id: 'a' }], [undefined, { 1: 'a' }]],
    [{ id: 1, sku: 'the product itself' }, [undefined, {}]],
  ])('with one product in the request, %j', (answer, expected) => {
    expect(read(answer, one)).toEqual(expected);
  });
});
