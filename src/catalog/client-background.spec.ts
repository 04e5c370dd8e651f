import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { FakeService } from '../../test/support/catalog-client/fake-service.js';
import { failureOf } from '../../test/support/failure-of.js';

const service = FakeService.ofFile();

const products = [
  { id: 1, externalId: 'shopify:a:1' },
  { id: 2, externalId: 'shopify:a:2' },
];

describe('generation', () => {
  it('[GENERATE-01] one request for all products, one task for it', async () => {
    service.handler = () => ({ status: 202, json: { task_id: 'g-1' } });
    const client = service.client();
    expect(client.generationBatchLimit).toBe(Number.POSITIVE_INFINITY);
    expect(await client.generate(products)).toEqual({ taskId: 'g-1', taskIdByProduct: new Map() });
    expect(service.asked[0]?.json()).toEqual({ product_ids: [1, 2] });
  });

  it('[GENERATE-09] method, path and body are the configured ones', async () => {
    service.handler = () => ({ json: { id: 9 } });
    const client = service.client({
      generation: {
        method: 'PUT',
        path: '/products/{external_id}/ai/',
        body: { p: '{product_id}', deep: [true] },
      },
    });
    expect(client.generationBatchLimit).toBe(1);
    const [first] = products;
    expect(await client.generate(first ? [first] : [])).toMatchObject({ taskId: '9' });
    expect(service.lines()).toEqual(['PUT /products/shopify%3Aa%3A1/ai/']);
    expect(service.asked[0]?.json()).toEqual({ p: 1, deep: [true] });
    expect(await failureOf(client.generate(products))).toMatchObject({ code: 'invalid' });
    expect(await failureOf(client.generate([]))).toMatchObject({ code: 'invalid' });
    expect(service.asked).toHaveLength(1);
  });

  it('an empty or strange answer is an accepted request without task ids', async () => {
    const client = service.client();
    for (const reply of [{ status: 204 }, { json: { ok: true } }, { json: [] }, { json: 'done' }]) {
      service.handler = () => reply;
      expect(await client.generate(products)).toEqual({ taskIdByProduct: new Map() });
    }
  });

  it('is requested once when the outcome is unknown', async () => {
    const replies = [
      { status: 500, json: {} },
      { status: 503, text: 'busy' },
      { status: 200, text: '<html>gateway</html>' },
      { raw: (response: { destroy(): unknown }) => void response.destroy() },
    ];
    for (const reply of replies) {
      service.reset();
      service.handler = () => reply;
      expect(await failureOf(service.client().generate(products))).toMatchObject({
        code: 'transient',
        outcomeUnknown: true,
      });
      expect(service.asked).toHaveLength(1);
    }
  });
});

describe('background tasks', () => {
  it('[TASK-01] lists tasks, from a page or a bare array, with ids as int or string', async () => {
    const client = service.client();
    service.handler = () => ({
      json: {
        count: 2,
        next: null,
        previous: null,
        results: [
          { task_id: 5, status: 'success' },
          { id: 'b', state: 'Failed', error: { why: 'x' } },
        ],
      },
    });
    expect((await client.listBackgroundTasks()).results).toMatchObject([
      { id: '5', state: 'succeeded' },
      { id: 'b', state: 'failed', reason: '{"why":"x"}' },
    ]);
    service.handler = () => ({ json: [{ background_task_id: 6, status: 'PENDING' }] });
    const found = [];
    for await (const task of client.iterateBackgroundTasks()) found.push(task);
    expect(found).toMatchObject([{ id: '6', state: 'running', status: 'PENDING' }]);
  });

  it('[TASK-02] [TASK-03] [TASK-06] one task, its status by the configured lists; an unknown one means running', async () => {
    const client = service.client({ tasks: { success: ['Done'], failure: ['BROKEN'] } });
    const state = async (status: unknown) => {
      service.handler = () => ({ json: { status, reason_for_failure: 'no luck' } });
      const task = await client.getBackgroundTask('a/b');
      return [task.id, task.state, task.reason];
    };
    expect(await state('done')).toEqual(['a/b', 'succeeded', undefined]);
    expect(await state('broken')).toEqual(['a/b', 'failed', 'no luck']);
    expect(await state('SUCCESS')).toEqual(['a/b', 'running', undefined]);
    expect(await state(undefined)).toEqual(['a/b', 'running', undefined]);
    expect(await state(7)).toEqual(['a/b', 'running', undefined]);
    expect(service.lines()[0]).toBe('GET /background-tasks/a%2Fb/');
  });

  it('[TASK-04] an unknown task is not found', async () => {
    service.handler = () => ({ status: 404, json: { detail: 'No such task.' } });
    expect(await failureOf(service.client().getBackgroundTask('x'))).toMatchObject({ code: 'not_found' });
  });

  it('a list whose tasks have no known id field is refused', async () => {
    service.handler = () => ({ json: [{ uuid: 'u' }] });
    expect(await failureOf(service.client().listBackgroundTasks())).toMatchObject({ code: 'misconfigured' });
  });
});

describe('CSV upload', () => {
  it('[CSV-01] sends bytes as a form and gives the task back', async () => {
    service.handler = () => ({ status: 202, json: { background_task_id: 3 } });
    const client = service.client({ newBoundary: () => 'B' });
    expect(await client.uploadCsv(Buffer.from('sku\n1\n'), 'a"b.csv')).toEqual({ taskId: '3' });
    expect(service.asked[0]?.headers['content-type']).toBe('multipart/form-data; boundary=B');
    expect(service.asked[0]?.text).toBe(
      '--B\r\nContent-Disposition: form-data; name="file"; filename="a%22b.csv"\r\nContent-Type: text/csv\r\n\r\nsku\n1\n\r\n--B--\r\n',
    );
  });

  it('streams a file, and opens it again after a 429', async () => {
    let opened = 0;
    service.handler = () => (service.asked.length === 1 ? { status: 429 } : { json: { task_id: 't' } });
    const client = service.client({ assumptions: { uploadCsv: { path: '/csv/' } }, newBoundary: () => 'B' });
    const open = () => {
      opened += 1;
      return Readable.from([Buffer.from('sku\n'), Buffer.from('1\n')]);
    };
    expect(await client.uploadCsv(open, 'a.csv')).toEqual({ taskId: 't' });
    expect(service.asked.map(({ text }) => text.split('\r\n')[4])).toEqual(['sku\n1\n', 'sku\n1\n']);
    expect(opened).toBe(2);
  });

  it('a file that cannot be read is the caller’s fault, not the service’s', async () => {
    service.handler = () => ({ json: {} });
    const missing = () => createReadStream('/nonexistent/file.csv');
    expect(await failureOf(service.client().uploadCsv(missing, 'a.csv'))).toMatchObject({ code: 'invalid' });
  });
});

describe('webhook settings', () => {
  const config = {
    url: 'https://sync.example.com/webhooks/catalog/default',
    hmac_secret: 's3cret-of-mine',
    actions: ['product_generated'],
  };

  it('[SETTINGS-01] reads the stored configuration, whoever’s it is', async () => {
    service.handler = () => ({ json: { ...config, actions: ['something_new'], id: 4 } });
    expect(await service.client().getWebhookSettings()).toEqual({
      ...config,
      actions: ['something_new'],
      id: 4,
    });
  });

  it('[SETTINGS-06] 404, nothing, {}, null and a null url all mean that there is none', async () => {
    const client = service.client();
    const replies = [
      { status: 404, json: { detail: 'Not found.' } },
      { status: 204 },
      { json: {} },
      { json: null, text: 'null' },
      { json: { url: null, hmac_secret: null, actions: [] } },
      { json: { url: '' } },
    ];
    for (const reply of replies) {
      service.handler = () => reply;
      expect(await client.getWebhookSettings()).toBeNull();
    }
  });

  it('[SETTINGS-02] stores by POST and returns what was stored', async () => {
    service.handler = () => ({ status: 201, json: config });
    const stored = await service
      .client()
      .putWebhookSettings({ url: config.url, hmac_secret: config.hmac_secret });
    expect(stored).toEqual(config);
    expect(service.lines()).toEqual(['POST /settings/webhooks/']);
    expect(service.asked[0]?.json()).toEqual({ url: config.url, hmac_secret: config.hmac_secret });
  });

  it('[SETTINGS-04] a refusal keeps the service’s messages, without the secret it echoes', async () => {
    service.handler = () => ({
      status: 400,
      json: { hmac_secret: [`"${config.hmac_secret}" is too short`] },
    });
    const error = await failureOf(
      service.client().putWebhookSettings({ url: config.url, hmac_secret: config.hmac_secret }),
    );
    expect(error).toMatchObject({ code: 'invalid', fields: { hmac_secret: ['"[redacted]" is too short'] } });
  });

  it('[SETTINGS-05] removes it, and is content when there was none', async () => {
    const client = service.client();
    for (const status of [204, 200, 404]) {
      service.handler = () => ({ status });
      await client.deleteWebhookSettings();
    }
    expect(service.lines()[0]).toBe('DELETE /settings/webhooks/');
  });
});
