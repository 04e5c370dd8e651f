import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { ownPort } from '../../test/support/ports.js';
import type { CodedError } from '../domain/errors.js';
import {
  FakeService,
  PRODUCT,
  VirtualTime,
  type Reply,
} from '../../test/support/catalog-client/fake-service.js';
import { failureOf } from '../../test/support/failure-of.js';

const service = FakeService.ofFile();

const patch = async (reply: Reply, options: Parameters<FakeService['client']>[0] = {}) => {
  service.handler = () => reply;
  return (await failureOf(service.client(options).updateProduct(7, { name: 'a' }))) as CodedError;
};

describe('statuses', () => {
  it.each([
    [400, 'invalid', false],
    [402, 'auth', false],
    [404, 'not_found', false],
    [405, 'misconfigured', false],
    [409, 'conflict', false],
    [410, 'not_found', false],
    [413, 'invalid', false],
    [422, 'invalid', false],
    [301, 'misconfigured', false],
    [307, 'misconfigured', false],
    [500, 'transient', true],
    [502, 'transient', true],
  ])(
    '[ERROR-01] [ERROR-04] [ERROR-05] [PUT-04] [PATCH-04] [GET-03] %d is %s',
    async (status, code, outcomeUnknown) => {
      const error = await patch({ status, json: { detail: 'why' } });
      expect(error).toMatchObject({ name: 'CodedError', code, status, outcomeUnknown, side: 'catalog' });
      expect(service.asked).toHaveLength(1);
    },
  );

  it('[ERROR-04] the service’s detail is in the message', async () => {
    expect((await patch({ status: 404, json: { detail: 'No Product matches.' } })).message).toBe(
      'catalog updateProduct answered 404: No Product matches.',
    );
  });

  it('a redirect is not followed, and says where it went without its query', async () => {
    const error = await patch({
      status: 302,
      headers: { location: 'https://www.example.com/login?next=secret' },
    });
    expect(error.message).toBe(
      'catalog updateProduct answered 302: redirected to https://www.example.com/login',
    );
    expect(service.asked).toHaveLength(1);
  });
});

describe('validation errors', () => {
  it('[ERROR-06] [CREATE-10] [PUT-03] [PATCH-03] are kept field by field', async () => {
    const error = await patch({ status: 400, json: { sku: ['in use', 'too long'], barcode: ['in use'] } });
    expect(error.fields).toEqual({ sku: ['in use', 'too long'], barcode: ['in use'] });
  });

  it.each([
    ['an unreadable body', '<h1>Bad Request</h1>', { detail: ['<h1>Bad Request</h1>'] }],
    ['an empty body', '', {}],
  ])('[ERROR-06] %s is kept as far as it goes', async (_name, text, fields) => {
    expect((await patch({ status: 400, text })).fields).toEqual(fields);
  });
});

describe('answers that cannot be used', () => {
  const unusable: [string, Reply][] = [
    ['HTML', { text: '<!doctype html>', headers: { 'content-type': 'text/html' } }],
    ['nothing', { status: 200 }],
    ['half a document', { status: 201, text: '{"id": 7, "na' }],
    ['another shape', { status: 200, json: { ok: true } }],
    ['a wrong type', { status: 200, json: { ...PRODUCT, sku: 5 } }],
    ['broken UTF-8', { raw: (response) => void response.end(Buffer.from('{"\u00ff":1}', 'latin1')) }],
    ['bottomless nesting', { text: `{"id":1,"metadata":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}` }],
    ['a closed connection', { raw: (response) => void response.destroy() }],
    [
      'fewer bytes than announced',
      {
        raw: (response) =>
          void response
            .writeHead(200, { 'content-length': '500' })
            .write('{"id":7', () => response.destroy()),
      },
    ],
    [
      'a broken chunk',
      { raw: (response) => void response.writeHead(200).write('{"id":7', () => response.destroy()) },
    ],
    [
      'cut compression',
      {
        raw: (response) =>
          void response
            .writeHead(200, { 'content-encoding': 'gzip' })
            .end(gzipSync(JSON.stringify(PRODUCT)).subarray(0, 60)),
      },
    ],
  ];

  it.each(unusable)(
    '%s in answer to a write leaves its outcome unknown and is not repeated',
    async (_name, reply) => {
      expect(await patch(reply)).toMatchObject({
        name: 'CodedError',
        code: 'transient',
        outcomeUnknown: true,
      });
      expect(service.asked).toHaveLength(1);
    },
  );

  it.each(unusable)('%s in answer to a read is tried three times more', async (_name, reply) => {
    service.handler = () => reply;
    const time = new VirtualTime();
    const error = await failureOf(service.client({ retryDelayScale: 0.5 }, time).getProduct(7));
    expect(error).toMatchObject({ code: 'transient', outcomeUnknown: false });
    expect(service.asked).toHaveLength(4);
    expect(time.slept.filter((ms) => ms > 100)).toEqual([375, 1875, 11_250]);
  });

  it('the excerpt is one short line without control characters', async () => {
    const error = await patch({ text: `<p>\u0000\u001b[31m\r\n\u202e${'x'.repeat(5000)}` });
    expect(error.message.length).toBeLessThan(300);
    expect(error.message).toMatch(
      /^catalog updateProduct answered 200 with a body that is no JSON: <p> \[31m x+…$/,
    );
  });

  it('an enormous answer is cut off while it comes, compressed or not', async () => {
    let sent = 0;
    const endless: Reply = {
      raw: (response) => {
        const chunk = Buffer.alloc(65_536, 'x');
        const more = () => {
          if (response.destroyed) return;
          sent += chunk.length;
          response.write(chunk, () => setImmediate(more));
        };
        more();
      },
    };
    expect(await patch(endless, { maxResponseBytes: 1_000_000 })).toMatchObject({
      code: 'transient',
      outcomeUnknown: true,
    });
    expect(sent).toBeLessThan(20_000_000);
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    const reply: Reply = {
      raw: (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    };
    expect((await patch(reply, { maxResponseBytes: 1_000_000 })).message).toMatch(/too large/);
  });

  it('an enormous error is still known by its status', async () => {
    expect(await patch({ status: 404, text: 'x'.repeat(3_000_000) })).toMatchObject({ code: 'not_found' });
  });

  it('an answer that trickles in forever ends at the deadline', async () => {
    let trickle: NodeJS.Timeout | undefined;
    const reply: Reply = {
      raw: (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        trickle = setInterval(() => response.write(' '), 10);
      },
    };
    const error = await patch(reply, { requestTimeoutMs: 120 });
    clearInterval(trickle);
    expect(error).toMatchObject({ code: 'transient', outcomeUnknown: true });
    expect(error.message).toMatch(/within 120 ms/);
  });

  it('an upload that never ends is given up after its own time limit', async () => {
    const endless = () =>
      new Readable({
        read() {
          setTimeout(() => this.push('row\n'), 5);
        },
      });
    const error = await failureOf(service.client({ uploadTimeoutMs: 150 }).uploadCsv(endless, 'endless.csv'));
    expect(error).toMatchObject({ code: 'transient', outcomeUnknown: true });
  });

  it('a refused connection was heard by nobody: the outcome is known', async () => {
    const client = service.client({ baseUrl: `http://127.0.0.1:${String(await ownPort())}/api/v1` });
    const error = (await failureOf(client.upsertProduct({ name: 'a' }))) as CodedError;
    expect(error).toMatchObject({ code: 'transient', outcomeUnknown: false });
    expect(error.message).toBe('catalog upsertProduct got no answer (ECONNREFUSED)');
    expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('a read recovers from passing faults', async () => {
    const faults: Reply[] = [
      { status: 500 },
      { raw: (response) => void response.destroy() },
      { text: '<html>' },
    ];
    service.handler = () => faults.shift() ?? { json: PRODUCT };
    expect(await service.client().getProduct(7)).toEqual(PRODUCT);
  });

  it('compressed answers are read', async () => {
    const bytes = gzipSync(JSON.stringify(PRODUCT));
    service.handler = () => ({
      raw: (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes),
    });
    expect(await service.client().getProduct(7)).toEqual(PRODUCT);
  });

  it('a request is not sent when the client is closed right before', async () => {
    service.handler = () => ({ json: PRODUCT });
    const closing = service.client();
    const beforeSend = (): void => {
      closing.close();
    };
    const sent = closing.upsertProduct({ external_id: 'a' }, { beforeSend });
    expect(await failureOf(sent)).toMatchObject({ code: 'transient' });
    await service.client().getProduct(7);
    expect(service.asked.map(({ method }) => method)).toEqual(['GET']);
  });

  it('closing the client ends what is under way', async () => {
    const client = service.client();
    service.handler = () => ({
      raw: () => {
        client.close();
      },
    });
    expect(await failureOf(client.getProduct(7))).toMatchObject({ code: 'transient' });
    expect(service.asked).toHaveLength(1);
    expect(await failureOf(client.getProduct(7))).toMatchObject({ code: 'transient' });
    expect(service.asked).toHaveLength(1);
  });
});
