import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  clientOf,
  closeShops,
  connect,
  idIn,
  requests,
  shopWith,
  STORE_ID,
  valueIn,
  whole,
  write,
  written,
} from '../../../test/support/sandbox/connected-shop.js';
import { localServers } from '../../../test/support/local-servers.js';
import type { TestShop } from '../../../test/support/sandbox/test-shop.js';
import { isCoded } from '../../domain/errors.js';
import type { ShopIdentity } from '../../domain/store-port.js';
import { WooEvents } from './events.js';
import { webhookSchema } from './schemas.js';

const serve = localServers();
afterEach(closeShops);

describe('a whole read', () => {
  it.each(['10.5.0', '10.2.0'])(
    'has variations without the SKU that they inherit, on WooCommerce %s',
    async (version) => {
      const shop = await shopWith(0, { version });
      const parent = shop.products.create({ type: 'variable', row: { name: 'Shirt' }, sku: 'SHIRT' });
      shop.products.create({ type: 'variation', parentId: parent.id, row: { name: 'S' }, sku: 'SHIRT-S' });
      shop.products.create({ type: 'variation', parentId: parent.id, row: { name: 'M' } });
      const { products } = await whole(connect(shop));
      expect(products.map(({ variants }) => variants.map(({ sku }) => sku))).toEqual([['SHIRT-S', null]]);
    },
  );

  it('treats an answer that is not JSON as an outage, and reports a refused key', async () => {
    const shop = await shopWith(1);
    const connector = connect(shop);
    await connector.probe();
    shop.failNext(503, { count: 2 });
    await expect(connector.count()).rejects.toMatchObject({ code: 'transient', status: 503 });
    shop.revokeKey(shop.consumerKey);
    const error = await connector.count().catch((thrown: unknown) => thrown);
    expect(isCoded(error, 'auth')).toBe(true);
  });
});

it.each([-5, 9])(
  'an incremental read finds what changed at or after the second, in a shop at UTC%d',
  async (offset) => {
    const at = Math.floor(Date.now() / 1000) * 1000;
    let now = new Date(at - 17_000);
    const shop = await shopWith(3, { offset, clock: () => now });
    const [first] = shop.products.list();
    now = new Date(at);
    shop.products.edit(first!.id, { name: 'Edited' });
    const titles: string[] = [];
    for await (const batch of connect(shop).readChanged(new Date(at)))
      titles.push(...batch.map((product) => product.snapshot().title));
    expect(titles).toEqual(['Edited']);
  },
);

describe('the shop that answers', () => {
  function keeping(known: ShopIdentity | null) {
    let kept = known;
    return {
      read: () => Promise.resolve(kept),
      keep: (found: ShopIdentity) => {
        kept = found;
        return Promise.resolve();
      },
      get kept() {
        return kept;
      },
    };
  }

  it('is remembered by its id and its address', async () => {
    const shop = await shopWith(0);
    const identity = keeping(null);
    await connect(shop, { identity }).probe();
    expect(identity.kept).toEqual({ id: STORE_ID, address: new URL(shop.url).host });
  });

  it.each([
    ['a copy at another address', { id: STORE_ID, address: 'shop.example' }],
    ['another shop at the address', { id: '00000000-0000-4000-8000-000000000000', address: 'own' }],
  ])('stops the store when it is %s', async (_what, known) => {
    const shop = await shopWith(1);
    const address = known.address === 'own' ? new URL(shop.url).host : known.address;
    const connector = connect(shop, { identity: keeping({ ...known, address }) });
    await expect(connector.probe()).rejects.toMatchObject({ code: 'misconfigured' });
    await expect(whole(connector)).rejects.toMatchObject({ code: 'misconfigured' });
    await expect(written(connector, 1, write('title', 'x', null))).rejects.toMatchObject({
      code: 'misconfigured',
    });
    expect(requests(shop, 'PUT')).toBe(0);
  });

  it('says whether the key may write, without touching a product', async () => {
    const shop = await shopWith(1);
    const before = shop.products.list();
    expect(await connect(shop).probe()).toMatchObject({
      mayWriteProducts: true,
      identity: `woocommerce:${STORE_ID}`,
    });
    shop.addKey({ key: 'ck_read', secret: 'cs_read', permissions: 'read' });
    const key = { consumerKey: 'ck_read', consumerSecret: 'cs_read' };
    const probe = await connect(shop, { key }).probe();
    expect(probe.mayWriteProducts).toBe(false);
    expect(await probe.findings()).toContainEqual(expect.objectContaining({ level: 'fail', what: 'key' }));
    expect(shop.products.list()).toEqual(before);
  });
});

describe('a write', () => {
  it('sends the changed fields alone in one request, and returns what the shop kept', async () => {
    const shop = await shopWith(1);
    const id = idIn(shop);
    const connector = connect(shop);
    const outcomes = await written(
      connector,
      id,
      write('title', 'Fish & chips', 'P1'),
      write('descriptionHtml', '<p onclick="x()">New</p>', 'Text 1'),
      write('metafield:catalog.care', 'Wash', null),
      write('seo.title', 'For search', null),
    );
    expect(outcomes).toEqual([
      { target: 'title', outcome: 'written', value: 'Fish & chips' },
      { target: 'descriptionHtml', outcome: 'written', value: '<p>New</p>' },
      { target: 'metafield:catalog.care', outcome: 'written', value: 'Wash' },
      { target: 'seo.title', outcome: 'written', value: 'For search' },
    ]);
    const sent = shop.requests.filter(({ method }) => method === 'PUT');
    expect(sent.map(({ body }) => Object.keys(body).sort())).toEqual([['description', 'meta_data', 'name']]);
  });

  it('leaves what somebody changed since, and sends nothing for what stands there already', async () => {
    const shop = await shopWith(1);
    const id = idIn(shop);
    const outcomes = await written(
      connect(shop),
      id,
      write('title', 'New', 'Something else'),
      write('descriptionHtml', 'Text 1', 'Older'),
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['changed_meanwhile', 'written']);
    expect(requests(shop, 'PUT')).toBe(0);
  });

  it('keeps the backslashes of the texts that it writes, and of those that it does not', async () => {
    const shop = await shopWith(0);
    const { id } = shop.products.create({ row: { name: 'Plain', description: 'C:\\temp \\u003cb\\u003e' } });
    const connector = connect(shop);
    await written(connector, id, write('title', 'A\\B', 'Plain'));
    expect(await valueIn(connector, id, 'title')).toMatchObject({ value: 'A\\B' });
    expect(await valueIn(connector, id, 'descriptionHtml')).toMatchObject({
      value: 'C:\\temp \\u003cb\\u003e',
    });
    await written(connector, id, write('descriptionHtml', 'D:\\new', 'C:\\temp \\u003cb\\u003e'));
    expect(await valueIn(connector, id, 'title')).toMatchObject({ value: 'A\\B' });
    expect(await valueIn(connector, id, 'descriptionHtml')).toMatchObject({ value: 'D:\\new' });
  });

  it('sends meta data also where no text of the product can be written', async () => {
    const shop = await shopWith(0);
    const description = 'C:\\temp <iframe src="https://video.example/1"></iframe>';
    const { id } = shop.products.create({ row: { name: 'One', description } });
    const connector = connect(shop);
    const outcomes = await written(
      connector,
      id,
      write('title', 'Two', 'One'),
      write('metafield:catalog.care', 'Wash', null),
    );
    expect(outcomes.map(({ target, outcome }) => [target, outcome])).toEqual([
      ['title', 'changed_meanwhile'],
      ['metafield:catalog.care', 'written'],
    ]);
    expect(shop.products.get(id)?.row).toMatchObject({ name: 'One', description });
  });

  it.each([
    ['a script', 'Old <script>track()</script>'],
    ['a frame', 'Old <iframe src="https://video.example/1"></iframe>'],
    ['a form', '<form action="/x"><input></form>'],
    ['a style', '<style>p{}</style>Old'],
    ['a shortcode', 'Old [products limit="3"]'],
  ])('leaves a description with %s to the merchant', async (_what, description) => {
    const shop = await shopWith(0);
    const { id } = shop.products.create({ row: { name: 'One', description } });
    const connector = connect(shop);
    const outcomes = await written(
      connector,
      id,
      write('descriptionHtml', '<p>New</p>', description),
      write('title', 'Two', 'One'),
    );
    expect(outcomes.map(({ target, outcome }) => [target, outcome])).toEqual([
      ['descriptionHtml', 'changed_meanwhile'],
      ['title', 'written'],
    ]);
    expect(shop.products.get(id)?.row).toMatchObject({ name: 'Two', description });
  });
});

it.each(['descriptionHtml', 'metafield:product.short_description'])(
  'a generated text in %s runs no shortcode, and what stood before it can be put back',
  async (target) => {
    const shop = await shopWith(0);
    const { id } = shop.products.create({
      row: { name: 'One', description: 'Old [1]', shortDescription: 'Old [1]' },
    });
    const connector = connect(shop);
    const [outcome] = await written(
      connector,
      id,
      write(target, '<p>New [products limit="3"]</p>', 'Old [1]'),
    );
    const kept = outcome?.outcome === 'written' ? outcome.value : null;
    expect(kept).toBe('<p>New &#91;products limit="3"]</p>');
    const [restored] = await written(connector, id, write(target, 'Old [1]', kept));
    expect(restored).toEqual({ target, outcome: 'written', value: 'Old [1]' });
  },
);

describe('a product that is not shown', () => {
  it('is not gone when the shop has lost the route, as with its plugin switched off', async () => {
    const shop = await shopWith(1);
    const client = clientOf(shop);
    await expect(client.run({ path: 'wc/v3/elsewhere/1' }, z.unknown())).rejects.toMatchObject({
      code: 'unavailable',
      shopCode: 'rest_no_route',
    });
  });

  it('is not gone when the key may not read it', async () => {
    const shop = await shopWith(2);
    const [first, second] = shop.products.list();
    shop.hideFromKeys([first!]);
    const ids = [first, second].map((post) => String(post!.id));
    const [hidden, shown] = await connect(shop).readProducts(ids);
    expect(() => hidden?.snapshot()).toThrow('the key may not read all of them');
    expect(hidden?.storeId).toBe(ids[0]);
    expect(shown?.snapshot().title).toBe('P2');
  });
});

describe('webhooks', () => {
  const URI = 'http://127.0.0.1:9/webhooks/woocommerce/main';
  const SECRET = 'a secret of the operator';
  const hooksOf = async (shop: TestShop) =>
    (await clientOf(shop).run({ path: 'wc/v3/webhooks' }, webhookSchema.array())).data;

  it('that the shop has disabled because nobody answered are active again', async () => {
    const shop = await shopWith(1);
    const connector = connect(shop, { webhookSecret: SECRET });
    const inactive = async () =>
      (await hooksOf(shop)).filter(({ status }) => status !== 'active').map(({ topic }) => topic);
    await connector.subscribe(URI, null);
    for (let edits = 0; edits < 7; edits += 1) {
      expect(await inactive()).toEqual([]);
      shop.products.edit(idIn(shop), { name: `Edited ${String(edits)}` });
      await shop.idle();
    }
    expect(await inactive()).toEqual(['product.updated']);
    await connector.subscribe(URI, null);
    expect(await inactive()).toEqual([]);
  });

  it('are one for each topic again after two processes have registered them at once', async () => {
    const shop = await shopWith(0);
    const client = clientOf(shop);
    const topics = ['product.created', 'product.updated', 'product.deleted', 'product.restored'];
    for (const topic of [...topics, ...topics]) {
      const body = { name: topic, topic, delivery_url: URI, secret: SECRET };
      await client.run({ method: 'POST', path: 'wc/v3/webhooks', body }, z.unknown());
    }
    await connect(shop, { webhookSecret: SECRET }).subscribe(URI, null);
    expect((await hooksOf(shop)).map(({ topic }) => topic).sort()).toEqual(topics.toSorted());
  });

  it('are signed under a new secret once the operator has set one', async () => {
    const shop = await shopWith(1);
    const received: Buffer[] = [];
    const verdicts: string[] = [];
    const uri = await serve((request, response) => {
      request.on('data', (chunk: Buffer) => received.push(chunk));
      request.on('end', () => {
        verdicts.push(
          new WooEvents('the new one').verify(request.headers, Buffer.concat(received.splice(0))),
        );
        response.end();
      });
    });
    await connect(shop, { webhookSecret: 'the old one' }).subscribe(uri, null);
    await connect(shop, { webhookSecret: 'the new one' }).subscribe(uri, null);
    shop.products.edit(idIn(shop), { name: 'Edited' });
    await shop.idle();
    expect(verdicts).toContain('signed');
    expect(verdicts).not.toContain('forged');
  });
});
