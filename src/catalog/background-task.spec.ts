import { describe, expect, it } from '@jest/globals';
import { DEFAULT_TASK_STATUSES } from './assumptions.js';
import { TaskReader } from './background-task.js';
import { Redactor } from './redaction.js';

const reader = new TaskReader(DEFAULT_TASK_STATUSES, new Redactor());
const product = { id: '7', externalId: 'shopify:a.myshopify.com:1' };

describe('a task of several products', () => {
  it.each([
    ['by catalog id', { products: [{ id: 7, status: 'FAILED', error: 'no luck' }] }],
    ['by product_id', { results: [{ product_id: '7', state: 'failure', detail: 'no luck' }] }],
    ['by external_id', { items: [{ external_id: product.externalId, status: 'ERROR', reason: 'no luck' }] }],
  ])('shows the result of one of them, named %s', (_how, lists) => {
    const request = reader.read({ task_id: 't', status: 'SUCCESS', ...lists });
    expect(request.state).toBe('succeeded');
    expect(reader.readProduct(request, product)).toMatchObject({ state: 'failed', reason: 'no luck' });
  });

  it.each([
    ['it lists no products', {}],
    ['it lists others only', { products: [{ id: 8, status: 'SUCCESS' }] }],
    ['its entry has no status', { products: [{ id: 7 }] }],
    ['its list is none', { products: 'all' }],
  ])('says nothing of it when %s', (_why, lists) => {
    const request = reader.read({ task_id: 't', status: 'SUCCESS', ...lists });
    expect(reader.readProduct(request, product)).toBeNull();
  });
});
