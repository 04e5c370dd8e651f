import { describe, expect, it } from '@jest/globals';
import {
  changeOf,
  creationOf,
  DEFAULT_MAPPING,
  externalId,
  linkOf,
  rules,
  SHOP,
  snapshot,
  variant,
  writeBackSettings,
} from '../../test/support/product-builders.js';
import { CATALOG_FIELDS, clearedValue, type CatalogField } from '../domain/catalog-product.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import { afterWrite, valueHash } from '../domain/written-content.js';
import { generatedCatalogFields } from './generated-fields.js';
import { filledFields, toCatalogBody } from './map-to-catalog.js';
import { patchBody, planProduct, type LinkView, type ProductPlan } from './plan-product.js';
import { sourceFingerprint, sourceRules } from './source.js';

const generated = generatedCatalogFields({ name: 'title', html_description: 'descriptionHtml' });

function plan(read: ProductSnapshot, link: LinkView | null, under = rules()): ProductPlan {
  return planProduct(read, link, under, generated);
}

const withheldSku: WithheldIdentifier = {
  kind: 'sku',
  value: 'BOT-1',
  owner: externalId(),
  reason: 'shared',
  holder: { whose: 'this_store', externalIds: [], catalogId: null },
};

describe('the images of variants that were never pushed', () => {
  const sizes = (title: string, ...imageUrls: string[]): ProductSnapshot =>
    snapshot({ hasOnlyDefaultVariant: false, variants: [variant({ title, imageUrls })] });
  const image = 'https://cdn.example.com/s.jpg';

  it('are pushed with the variants alone, and no new content is asked for', () => {
    expect(plan(sizes('S', image), linkOf(sizes('S')))).toMatchObject({
      kind: 'update',
      fields: ['variants'],
      wantsGeneration: false,
    });
  });

  it('do not hide another change of the variants', () => {
    expect(plan(sizes('M', image), linkOf(sizes('S')))).toMatchObject({ wantsGeneration: true });
    expect(plan(sizes('S', `${image}?2`), linkOf(sizes('S', image)))).toMatchObject({
      wantsGeneration: false,
    });
  });
});

describe('a product whose workspace has another locale', () => {
  const french = sourceRules(SHOP, DEFAULT_MAPPING, writeBackSettings, 'fr');
  const german = sourceRules(SHOP, DEFAULT_MAPPING, writeBackSettings, 'de');
  const pushed = linkOf(snapshot({ descriptionHtml: '' }), {}, french);

  it('is sent all its texts in it, and asks for no content', () => {
    for (const under of [german, rules()])
      expect(plan(snapshot({ descriptionHtml: '' }), pushed, under)).toMatchObject({
        kind: 'update',
        fields: ['name'],
        reason: 'its workspace has another locale: name',
        wantsGeneration: false,
      });
    expect(plan(snapshot({ descriptionHtml: '' }), pushed, french)).toMatchObject({ kind: 'unchanged' });
  });

  it('asks for content where the merchant edited it as well', () => {
    const edited = snapshot({ descriptionHtml: '', vendor: 'Other' });
    expect(plan(edited, pushed, german)).toMatchObject({ fields: ['name', 'brand'], wantsGeneration: true });
  });
});

describe('a product without a catalog product', () => {
  it('is created with everything it has, and generation is asked for', () => {
    expect(plan(snapshot(), null)).toEqual({
      kind: 'create',
      externalId: externalId(),
      catalogId: null,
      reason: 'new in the store',
      fields: 'name description html_description brand category url sku barcode images metadata'.split(' '),
      body: toCatalogBody(snapshot(), rules()),
      withheld: [],
      sourceFingerprint: sourceFingerprint(snapshot(), rules()),
      seen: expect.objectContaining({ title: valueHash('Bottle') }),
      wantsGeneration: true,
      label: 'Bottle',
      storeId: 'gid://shopify/Product/1',
      recreated: false,
    });
  });

  it('is created also when a link is known that never got a catalog id', () => {
    expect(plan(snapshot(), linkOf(snapshot(), { catalogId: null, state: 'pending' }))).toMatchObject({
      kind: 'create',
      catalogId: null,
    });
  });

  it('says that another system took the catalog product over', () => {
    const lost = linkOf(snapshot(), { catalogId: null, pushedFields: {} });
    expect(plan(snapshot({ vendor: 'Other' }), lost)).toMatchObject({
      kind: 'create',
      reason: 'another system took its catalog product over: it is created again',
    });
  });

  it('is created again when the catalog lost it, although nothing changed in the store', () => {
    const lost = linkOf(snapshot(), { goneFromCatalog: true });
    expect(plan(snapshot(), lost)).toMatchObject({
      kind: 'create',
      catalogId: null,
      recreated: true,
      wantsGeneration: true,
      reason: 'its catalog product is gone: it is created again',
      fields: filledFields(toCatalogBody(snapshot(), rules())),
    });
  });
});

describe('a linked product', () => {
  it('that did not change is nothing to do', () => {
    expect(plan(snapshot(), linkOf(snapshot()))).toEqual({
      kind: 'unchanged',
      sourceFingerprint: sourceFingerprint(snapshot(), rules()),
      fingerprintMoved: false,
    });
  });

  it.each<[string, Partial<ProductSnapshot>, readonly CatalogField[], boolean]>([
    ['title', { title: 'Flask' }, ['name'], false],
    ['description', { descriptionHtml: '<p>New</p>' }, ['description', 'html_description'], false],
    ['markup only', { descriptionHtml: '<div>Holds a litre.</div>' }, ['html_description'], false],
    ['title and vendor', { title: 'Flask', vendor: 'Other' }, ['name', 'brand'], true],
    ['vendor', { vendor: 'Other' }, ['brand'], true],
    ['status', { status: 'ARCHIVED' }, ['metadata'], false],
    ['publish status', { url: null }, ['url'], false],
    ['version of an image', { imageUrls: ['https://cdn.example.com/1.jpg?v=2'] }, ['images'], false],
    ['new image', { imageUrls: ['https://cdn.example.com/1.jpg', 'https://a.example/2'] }, ['images'], true],
    ['images', { imageUrls: ['https://cdn.example.com/2.jpg'] }, ['images'], true],
    ['sku', { variants: [variant({ sku: 'BOT-2' })] }, ['sku'], true],
    ['cleared vendor', { vendor: null }, ['brand'], true],
  ])('whose %s changed is sent with only those fields', (_what, change, fields, wantsGeneration) => {
    const planned = changeOf(plan(snapshot(change), linkOf(snapshot())));
    expect(planned).toMatchObject({
      kind: 'update',
      catalogId: '70',
      fields,
      wantsGeneration,
      reason: `changed in the store: ${fields.join(', ')}`,
    });
  });

  it('that became a product model trades its identifiers for variants', () => {
    const split = snapshot({
      hasOnlyDefaultVariant: false,
      options: [{ name: 'Size', values: ['S'] }],
      variants: [variant({ title: 'S', options: [{ name: 'Size', value: 'S' }] })],
    });
    expect(changeOf(plan(split, linkOf(snapshot()))).fields).toEqual([
      'sku',
      'barcode',
      'open_attributes',
      'variants',
    ]);
  });

  it('under new rules is compared by field once and not pushed again', () => {
    const old = linkOf(snapshot(), {}, rules({ mpn: 'ids.mpn' }));
    expect(plan(snapshot(), old)).toEqual({
      kind: 'unchanged',
      sourceFingerprint: sourceFingerprint(snapshot(), rules()),
      fingerprintMoved: true,
    });
  });

  it('that holds our content and nothing new is nothing to do', () => {
    const written = { title: afterWrite(undefined, 'Generated', 'Bottle') };
    const link = linkOf(snapshot(), { written });
    expect(plan(snapshot({ title: 'Generated' }), link)).toMatchObject({
      kind: 'unchanged',
      fingerprintMoved: false,
    });
    expect(changeOf(plan(snapshot({ title: 'Edited' }), link)).fields).toEqual(['name']);
  });

  it('remembers the live values it was read with, ours among them', () => {
    const written = { title: afterWrite(undefined, 'Generated', 'Bottle') };
    const planned = changeOf(
      plan(snapshot({ title: 'Generated', vendor: 'Other' }), linkOf(snapshot(), { written })),
    );
    expect(planned.seen['title']).toBe(valueHash('Generated'));
    expect(planned.body.name).toBe('Bottle');
  });
});

it.each<[string, ProductSnapshot, Partial<LinkView>, string]>([
  [
    'while the catalog creates it in the background',
    snapshot({ title: 'Changed meanwhile' }),
    { catalogId: null, state: 'pending', creating: true },
    'changed',
  ],
  ['while it is being created again', snapshot({ title: 'Flask' }), { creating: true }, 'changed'],
  ['while a write-back holds it, even unchanged', snapshot(), { writing: true }, 'being_written'],
])('a product is put off %s', (_when, read, link, code) => {
  expect(plan(read, linkOf(snapshot(), link))).toEqual({ kind: 'put_off', code });
});

it('a product that did not change since the catalog began to create it is not put off', () => {
  const link = linkOf(snapshot(), { catalogId: null, state: 'pending', creating: true });
  expect(plan(snapshot(), link)).toMatchObject({ kind: 'unchanged' });
});

describe('an orphan that is back', () => {
  it('is sent with the fields that changed meanwhile', () => {
    expect(plan(snapshot({ vendor: 'Other' }), linkOf(snapshot(), { state: 'orphaned' }))).toMatchObject({
      reason: 'back in the store; changed in the store: brand',
      wantsGeneration: true,
    });
  });
});

describe('a product of which an identifier is withheld', () => {
  const { sku: _withheld, ...pushedFields } = linkOf(snapshot()).pushedFields;
  const link = linkOf(snapshot(), { state: 'conflicted', withheld: [withheldSku], pushedFields });

  it('has the withheld identifier left out of the comparison', () => {
    expect(changeOf(plan(snapshot({ vendor: 'Other' }), link)).fields).toEqual(['brand']);
  });
});

describe('patchBody', () => {
  it('holds the changed fields and no other', () => {
    const body = creationOf(snapshot()).body;
    expect(patchBody(body, ['name', 'sku'])).toEqual({ name: 'Bottle', sku: 'BOT-1' });
    expect(patchBody(body, [])).toEqual({});
  });

  it.each(
    CATALOG_FIELDS.filter((field) => field !== 'translations').map(
      (field) =>
        [
          field,
          ['sku', 'barcode', 'mpn', 'asin', 'url'].includes(field)
            ? null
            : ['images', 'variants', 'product_lists', 'tags_to_update'].includes(field)
              ? []
              : ['open_attributes', 'metadata', 'crawl_configuration'].includes(field)
                ? {}
                : '',
        ] as const,
    ),
  )('clears %s with %j', (field, value) => {
    expect(clearedValue(field)).toEqual(value);
    expect(patchBody({ external_id: 'x' }, [field])).toEqual({ [field]: value });
  });

  it('leaves texts in further languages out: they are no field of the service', () => {
    const translations = { fr: { name: 'Bouteille' } };
    expect(patchBody({ external_id: 'x', name: 'Bottle', translations }, ['name', 'translations'])).toEqual({
      name: 'Bottle',
    });
  });
});

describe('texts in further languages', () => {
  const inFrench = snapshot({ translations: { fr: { title: 'Bouteille' } } });
  const fields = generatedCatalogFields({ name: 'title' }, ['fr']);
  const known = linkOf(inFrench);

  it('that changed ask for content that write-back does not make, and those that are gone do not', () => {
    const asks = (before: ProductSnapshot, after: ProductSnapshot) =>
      planProduct(after, linkOf(before), rules(), new Set<CatalogField>());
    const bilingual = snapshot({ translations: { ...inFrench.translations, de: { title: 'Flasche' } } });
    expect(asks(inFrench, snapshot({ translations: { fr: { title: 'Gourde' } } }))).toMatchObject({
      wantsGeneration: true,
    });
    for (const [before, after] of [
      [bilingual, inFrench],
      [inFrench, snapshot({ translations: {} })],
    ] as const)
      expect(asks(before, after)).toMatchObject({ fields: ['translations'], wantsGeneration: false });
  });

  it('that changed are sent, and ask for no generation where write-back makes them', () => {
    const edited = snapshot({ translations: { fr: { title: 'Gourde' } } });
    expect(planProduct(edited, known, rules(), fields)).toMatchObject({
      kind: 'update',
      fields: ['translations'],
      wantsGeneration: false,
      body: { translations: { fr: { name: 'Gourde' } } },
    });
  });

  it.each([[null], [undefined]])(
    'that cannot be read or are no longer read (%j) are left as they are',
    (none) => {
      const { translations: _read, ...rest } = inFrench;
      const unread = none === undefined ? rest : { ...rest, translations: none };
      expect(planProduct(unread, known, rules(), fields)).toMatchObject({ kind: 'unchanged' });
      const renamed = planProduct({ ...unread, title: 'Flask' }, known, rules(), fields);
      expect(renamed).toMatchObject({ kind: 'update', fields: ['name'] });
    },
  );
});
