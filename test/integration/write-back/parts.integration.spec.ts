import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ProductVariant, SandboxProduct } from '../../../src/sandbox/store/index.js';
import { deliver, resultOf } from '../../support/results.js';
import { SandboxStore } from '../../support/sandbox-store.js';
import { PERSON, Stages } from '../../support/stages.js';

/** The real connector against the sandbox of its store: tags, category, alternative texts, and metafields of variants. */
const stages = await Stages.open();
let shop: SandboxStore;
let shirt: SandboxProduct;
const URLS = [1, 2, 3].map((place) => `https://cdn.example.com/${String(place)}.jpg`);
const picture = (place: number, alt: string | null) => ({ url: URLS[place] ?? '', alt });
const SHIRT = {
  ...{ title: 'Shirt', handle: 'shirt', descriptionHtml: '<p>Cotton</p>', vendor: 'Acme' },
  tags: ['Summer'],
  images: [picture(0, null), picture(1, 'From behind'), picture(2, null)],
  optionNames: ['Size'],
  variants: ['S', 'M'].map((size) => ({
    ...{ optionValues: [size], sku: `SHIRT-${size}`, barcode: null, weight: null, imageUrl: null },
  })),
};

beforeEach(async () => {
  await stages.reset();
  shop = await SandboxStore.open(stages);
  shirt = shop.store.products.create(SHIRT);
});
afterEach(async () => shop.close());

function configure(writeBack: object, mapping: object = {}): void {
  stages.settings = { store: { mapping, writeBack: { fields: {}, ...writeBack } }, workspace: {} };
}
const product = (): SandboxProduct => {
  const found = shop.store.products.get(shirt.id);
  if (!found) throw new Error('the shirt is gone');
  return found;
};
const tags = (): readonly string[] => product().tags;
const alts = () => product().media.map(({ alt }) => alt);
const category = () => product().category?.fullName ?? null;
const [small, medium] = [0, 1].map((place) => (): ProductVariant => {
  const found = product().variants[place];
  if (!found) throw new Error('the variant is gone');
  return found;
}) as [() => ProductVariant, () => ProductVariant];
const held = (variant: ProductVariant): string[] =>
  variant.metafields.map(({ key, type, value }) => `${key} ${type} ${value}`);
const outcomes = (fields: readonly { target: string; outcome: string; reason: string }[]) =>
  Object.fromEntries(fields.map(({ target, outcome }) => [target, outcome]));
/** Nothing of ours comes back as news, however often the store is read. */
async function staysQuiet(): Promise<void> {
  for (let night = 0; night < 2; night++)
    expect(await stages.sync()).toMatchObject({ counts: { updated: 0, generationRequested: 0 } });
}

describe('tags', () => {
  const keywords = (value: unknown) => ({ sections: [{ code: 'keywords', value }] });

  it('are added to those of the merchant, come back as no news, and a revert removes only the added ones', async () => {
    configure({ fields: { 'sections.keywords': 'tags' } }, { tags: { cotton: 7 } });
    await stages.sync();
    const row = await shop.written(shirt, keywords(['Cotton', 'summer', 'Linen, Soft', '<b>Bold</b>']));
    expect(tags()).toEqual(['Bold', 'Cotton', 'Linen', 'Soft', 'Summer']);
    expect(outcomes(row.fields)).toEqual({
      ...{ 'tags:cotton': 'written', 'tags:summer': 'same', 'tags:linen': 'written' },
      ...{ 'tags:soft': 'written', 'tags:bold': 'written' },
    });
    expect(row.fields[0]).toMatchObject({ target: 'tags:cotton', before: null, after: 'Cotton' });
    expect(row.arrived).toContainEqual(
      expect.objectContaining({ from: 'sections.keywords', fate: 'mapped', target: 'tags' }),
    );
    await staysQuiet();
    shop.store.products.merchantEdit(shirt.id, { tags: [...tags(), 'Sale'] });
    await stages.reverter.revert(row.id, PERSON);
    expect(tags()).toEqual(['Sale', 'Summer']);
  });

  it('that the merchant removed are not added again, and those that the merchant had stay at a revert', async () => {
    configure({ fields: { 'sections.keywords': 'tags' } });
    await stages.sync();
    await shop.written(shirt, keywords(['Cotton', 'Linen']));
    shop.store.products.merchantEdit(shirt.id, { tags: ['Summer', 'Linen'] });
    const again = await shop.written(shirt, { ...keywords(['Cotton', 'Linen', 'New']), name: 'Other' });
    expect(tags()).toEqual(['Linen', 'New', 'Summer']);
    expect(outcomes(again.fields)).toMatchObject({ 'tags:cotton': 'conflict', 'tags:linen': 'same' });
  });
});

describe('the category', () => {
  beforeEach(async () => {
    for (const name of ['Apparel > Clothing > Shirts', 'Sport > Shirts', 'Apparel > Clothing > Trousers'])
      shop.store.products.category(name);
    configure({ fields: { category: 'category' } });
    await stages.sync();
  });
  const came = (text: string) => ({
    product: { id: 1, external_id: `shopify:example.myshopify.com:${String(shirt.id)}`, category: text },
  });

  it.each([
    ['clothing>shirts', 'Apparel > Clothing > Shirts'],
    ['gid://shopify/TaxonomyCategory/sport-shirts', 'Sport > Shirts'],
  ])('named as %s is written, comes back as no news, and is emptied by a revert', async (text, expected) => {
    const row = await shop.written(shirt, came(text));
    expect(category()).toBe(expected);
    expect(row.fields).toMatchObject([
      { target: 'category', outcome: 'written', before: null, after: expected },
    ]);
    await staysQuiet();
    await stages.reverter.revert(row.id, PERSON);
    expect(category()).toBeNull();
  });

  it.each([
    ['Shirts', '“Shirts” names 2 categories: Apparel > Clothing > Shirts, Sport > Shirts'],
    ['Furniture', '“Furniture” is no category of the store'],
    [
      'gid://shopify/TaxonomyCategory/nothing',
      '“gid://shopify/TaxonomyCategory/nothing” is no category of the store',
    ],
  ])('named as %s has no place, and says why', async (text, reason) => {
    const row = await shop.written(shirt, came(text));
    expect(category()).toBeNull();
    expect(row.fields).toMatchObject([{ target: 'category', outcome: 'unfit', reason }]);
  });

  it('of the merchant is put back by a revert, and an edit of the merchant stays', async () => {
    shop.store.products.create({ ...SHIRT, category: 'Sport > Shirts' });
    await stages.sync();
    const row = await shop.written(shirt, came('Trousers'));
    expect(category()).toBe('Apparel > Clothing > Trousers');
    await stages.reverter.revert(row.id, PERSON);
    expect(category()).toBe('Sport > Shirts');
    shop.store.products.create({ ...SHIRT, category: 'Apparel > Clothing > Shirts' });
    expect(await shop.written(shirt, came('Clothing > Trousers'))).toMatchObject({ state: 'conflicted' });
    expect(category()).toBe('Apparel > Clothing > Shirts');
  });
});

describe('alternative texts', () => {
  const FIELDS = { 'sections.alt': 'images[].alt' };
  const text = (value: unknown) => ({ sections: [{ code: 'alt', value }] });

  it('are written where there is none, come back as no news, and are empty after a revert', async () => {
    configure({ fields: FIELDS });
    await stages.sync();
    const row = await shop.written(shirt, text('A cotton <i>shirt</i>'));
    expect(alts()).toEqual(['A cotton shirt', 'From behind', 'A cotton shirt']);
    expect(row.fields.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['written', 'generated'],
      ['same', 'the image has an alternative text, which stays'],
      ['written', 'generated'],
    ]);
    await staysQuiet();
    // The next result replaces ours, and nothing of the merchant.
    shop.store.products.create({
      ...SHIRT,
      images: [picture(0, 'Mine'), picture(1, 'From behind'), picture(2, 'A cotton shirt')],
    });
    const next = await shop.written(shirt, { ...text('A shirt'), name: 'Other' });
    expect(alts()).toEqual(['Mine', 'From behind', 'A shirt']);
    await stages.reverter.revert(next.id, PERSON);
    expect(alts()).toEqual(['Mine', 'From behind', 'A cotton shirt']);
    await stages.reverter.revert(row.id, PERSON);
    expect(alts()).toEqual(['Mine', 'From behind', null]);
    const { id } = (await stages.reapplier.reapply(row.id, PERSON)) as { id: string };
    await stages.writer.write(id);
    expect(alts()).toEqual(['Mine', 'From behind', 'A cotton shirt']);
  });

  it('of a list stay with their images when the merchant adds one and moves the others', async () => {
    configure({ fields: FIELDS });
    await stages.sync();
    const added = { url: 'https://cdn.example.com/new.jpg', alt: null };
    shop.store.products.create({ ...SHIRT, images: [added, picture(2, null), picture(0, null)] });
    const row = await shop.written(shirt, text(['Front', 'Back', 'Label']));
    expect(alts()).toEqual([null, 'Label', 'Front']);
    expect(row.fields).toContainEqual(
      expect.objectContaining({
        target: 'images[].alt',
        outcome: 'unfit',
        reason: '1 text is left out: the product does not show the image now',
      }),
    );
    await stages.reverter.revert(row.id, PERSON);
    expect(alts()).toEqual([null, null, null]);
    const { id } = (await stages.reapplier.reapply(row.id, PERSON)) as { id: string };
    await stages.writer.write(id);
    expect(alts()).toEqual([null, 'Label', 'Front']);
  });

  it('that the merchant emptied wait for review when the rest of the result is approved with others', async () => {
    configure({ mode: 'review', fields: FIELDS });
    await stages.sync();
    const approved = async (value: string) => {
      const id = await shop.intended(shirt, { ...text(value), name: value });
      await stages.approver.approve(id, { overwriteEdits: false, passGates: false }, PERSON);
      await stages.writer.write(id);
    };
    await approved('A shirt');
    const images = [picture(0, null), picture(1, 'From behind'), picture(2, 'A shirt')];
    shop.store.products.create({ ...SHIRT, images });
    await approved('Another');
    expect(alts()).toEqual([null, 'From behind', 'Another']);
    const left = (await stages.writeBacks.forProduct((await stages.link(shirt.id)).externalId)).at(-1);
    expect(left).toMatchObject({ state: 'pending_review', intended: [{ target: 'images[].alt' }] });
  });

  it('that have no image say so', async () => {
    shop.store.products.create({ ...SHIRT, images: [] });
    configure({ fields: FIELDS });
    await stages.sync();
    expect(await shop.written(shirt, text('A shirt'))).toMatchObject({
      state: 'skipped',
      fields: [{ target: 'images[].alt', outcome: 'unfit', reason: 'the product has no image for it' }],
    });
  });
});

describe('metafields of variants', () => {
  beforeEach(() => {
    shop.store.products.define({
      ...{ ownerType: 'PRODUCTVARIANT', namespace: 'custom', key: 'colour' },
      type: 'single_line_text_field',
      validations: [{ name: 'choices', value: '["Red","Blue"]' }],
    });
  });
  const variantOf = (variant: ProductVariant, sections: object[], name = 'Shirt') => ({
    product: {
      ...{ id: variant.id % 1_000_000, name, sections },
      external_id: `shopify:example.myshopify.com:${String(shirt.id)}:${String(variant.id)}`,
    },
  });
  const colour = (value: string) => [{ code: 'colour', value }];

  it('take the variant’s own result, in the type of their definition, and the product gets nothing of it', async () => {
    configure(
      { fields: { name: 'title' }, variants: { 'sections.colour': 'custom.colour' } },
      { mpn: 'custom.colour' },
    );
    await stages.sync();
    const waiting = await shop.intended(shirt, { name: 'Shirt of cotton' });
    const row = await shop.written(shirt, variantOf(small(), colour('red'), 'Never a title'));
    expect(held(small())).toEqual(['colour single_line_text_field Red']);
    expect(held(medium())).toEqual([]);
    expect(product().title).toBe('Shirt');
    expect(product().metafields).toEqual([]);
    const target = `variant:${String(small().id)}:metafield:custom.colour`;
    expect(row).toMatchObject({
      variant: `shopify:example.myshopify.com:${String(shirt.id)}:${String(small().id)}`,
      fields: [{ target, outcome: 'written', before: null, after: 'Red' }],
      arrived: [{ from: 'variants[].sections.colour', fate: 'mapped', target }],
    });
    // The result of the product waits all the same.
    expect(await stages.writer.write(waiting)).toMatchObject({ state: 'applied' });
    expect(product().title).toBe('Shirt of cotton');
    await staysQuiet();
    await stages.reverter.revert(row.id, PERSON);
    expect(held(small())).toEqual([]);
  });

  it('take what a result of the product says about its variants', async () => {
    configure({ fields: { name: 'title' }, variants: { 'sections.colour': 'custom.colour' } });
    await stages.sync();
    const { product: result } = (await resultOf(stages, shirt.id, {})) as { product: object };
    const row = await shop.written(shirt, {
      product: {
        ...result,
        name: 'Shirt of cotton',
        variants: [small(), medium()].map((variant, place) => ({
          ...variantOf(variant, [...colour(place === 0 ? 'Red' : 'Green'), { code: 'fit', value: 'slim' }])
            .product,
        })),
      },
    });
    expect([held(small()), held(medium())]).toEqual([['colour single_line_text_field Red'], []]);
    expect(Object.values(outcomes(row.fields))).toEqual(['written', 'written', 'unfit']);
    expect(row.arrived).toContainEqual(
      expect.objectContaining({ from: 'variants[].sections.fit', setting: 'writeBack.variants' }),
    );
  });

  it('keep the value of the merchant, and an older result of the variant comes too late', async () => {
    configure({ variants: { 'sections.colour': 'custom.colour' } });
    await stages.sync();
    const first = await shop.written(shirt, variantOf(small(), colour('Red')));
    shop.store.products.merchantEdit(shirt.id, {
      variants: [
        {
          id: small().id,
          metafields: [{ namespace: 'custom', key: 'colour', type: 'single_line_text_field', value: 'Blue' }],
        },
      ],
    });
    expect(await shop.written(shirt, variantOf(small(), colour('Red'), 'x'))).toMatchObject({
      state: 'conflicted',
    });
    await expect(stages.reverter.revert(first.id, PERSON)).rejects.toThrow('none of its fields');
    const body = await resultOf(stages, shirt.id, {
      ...{ taskId: 'old', createdAt: new Date(0) },
      ...variantOf(small(), colour('Green'), 'old'),
    });
    expect((await deliver(stages, body)).delivery.note).toContain('a newer result was received before');
    expect(held(small())).toEqual(['colour single_line_text_field Blue']);
  });

  it.each(['the product', 'the variant'])(
    'stay with the newer result when an older one of %s is written after it',
    async (older) => {
      configure({ fields: { name: 'title' }, variants: { 'sections.colour': 'custom.colour' } });
      await stages.sync();
      const { product: result } = (await resultOf(stages, shirt.id, {})) as { product: object };
      const ofProduct = (value: string) => ({
        product: {
          ...result,
          name: `Shirt in ${value}`,
          variants: [variantOf(small(), colour(value)).product],
        },
      });
      const ofVariant = (value: string) => variantOf(small(), colour(value));
      const [first, second] = older === 'the product' ? [ofProduct, ofVariant] : [ofVariant, ofProduct];
      const waiting = await shop.intended(shirt, first('Red'));
      await shop.written(shirt, second('Blue'));
      await stages.writer.write(waiting);
      expect(held(small())).toEqual(['colour single_line_text_field Blue']);
      const target = `variant:${String(small().id)}:metafield:custom.colour`;
      expect((await stages.writeBacks.get(waiting))?.fields).toContainEqual(
        expect.objectContaining({ target, outcome: 'unfit', reason: 'a newer result has a value for it' }),
      );
    },
  );

  it('of a variant that is gone have no place', async () => {
    configure({ variants: { 'sections.colour': 'custom.colour' } });
    await stages.sync();
    const gone = variantOf(medium(), colour('Red'));
    shop.store.products.create({ ...SHIRT, variants: SHIRT.variants.slice(0, 1) });
    expect(await shop.written(shirt, gone)).toMatchObject({
      fields: [{ outcome: 'unfit', reason: 'the variant no longer exists' }],
    });
  });
});
