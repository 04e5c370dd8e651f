import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SandboxProduct } from '../../../src/sandbox/store/index.js';
import { SandboxStore } from '../../support/sandbox-store.js';
import { PERSON, Stages } from '../../support/stages.js';

const stages = await Stages.open();
let shop: SandboxStore;
let bottle: SandboxProduct;
beforeEach(async () => {
  await stages.reset();
  shop = await SandboxStore.open(stages);
  bottle = shop.store.products.create({ title: 'Bottle', handle: 'bottle', descriptionHtml: '<p>Steel</p>' });
});
afterEach(async () => shop.close());

const SECTIONS = [
  { code: 'material', value: 'steel' },
  { code: 'height', value: '25 cm' },
  { code: 'colours', value: ['Red', 'Blue'] },
  { code: 'capacity', value: 750 },
  { code: 'care', value: '<p>By hand</p><ul><li>Soak</li></ul>' },
  { code: 'power', value: '25 W' },
];
const ATTRIBUTES = {
  material: 'custom.material',
  height: 'specs.height',
  colours: 'custom.colours',
  capacity: 'custom.capacity',
  care: 'custom.care',
};

const settings = (writeBack: object): void => {
  stages.settings = { store: { writeBack: { fields: {}, ...writeBack } }, workspace: {} };
};
const metafields = (): Record<string, string> =>
  Object.fromEntries(
    (shop.store.products.get(bottle.id)?.metafields ?? []).map(({ namespace, key, type, value }) => [
      `${namespace}.${key}`,
      `${type} ${value}`,
    ]),
  );
function define(name: string, type: string, validations: Record<string, string> = {}): void {
  const [namespace = '', key = ''] = name.split('.');
  const rules = Object.entries(validations).map(([rule, value]) => ({ name: rule, value }));
  shop.store.products.define({ namespace, key, type, validations: rules });
}
function defineAll(): void {
  define('custom.material', 'single_line_text_field', { choices: '["Steel","Glass"]' });
  define('specs.height', 'dimension', { max: '{"value":1.0,"unit":"METERS"}' });
  define('custom.colours', 'list.single_line_text_field', { 'list.max': '3' });
  define('custom.capacity', 'number_integer', { min: '100', max: '1000' });
  define('custom.care', 'rich_text_field');
}

describe('writeBack.attributes', () => {
  it('writes each attribute in the type that the merchant defined, and a revert removes it', async () => {
    defineAll();
    settings({ attributes: ATTRIBUTES });
    await stages.sync();
    const row = await shop.written(bottle, { sections: SECTIONS });
    expect(row).toMatchObject({ state: 'applied', reason: '5 fields written' });
    expect(row.arrived).toContainEqual(
      expect.objectContaining({ from: 'sections.power', fate: 'not_mapped' }),
    );
    expect(metafields()).toMatchObject({
      'custom.material': 'single_line_text_field Steel',
      'specs.height': 'dimension {"value":25.0,"unit":"CM"}',
      'custom.colours': 'list.single_line_text_field ["Red","Blue"]',
      'custom.capacity': 'number_integer 750',
      'custom.care': expect.stringContaining('"list-item"'),
    });
    // The same result finds, a second time, everything as it is, however the store spells it.
    expect(await shop.written(bottle, { sections: SECTIONS, name: 'Other' })).toMatchObject({
      state: 'skipped',
      reason: 'nothing to write: the store already says this',
    });
    await stages.reverter.revert(row.id, PERSON);
    expect(metafields()).toEqual({});
  });

  it('reports by name what does not fit or has no definition, and writes the rest', async () => {
    define('custom.material', 'single_line_text_field', { choices: '["Glass"]' });
    define('custom.capacity', 'number_integer', { max: '500' });
    define('custom.colours', 'list.single_line_text_field');
    settings({ attributes: ATTRIBUTES });
    await stages.sync();
    const row = await shop.written(bottle, { sections: SECTIONS });
    expect(row.state).toBe('applied');
    const reasons = Object.fromEntries(
      row.fields.map(({ target, outcome, reason }) => [target, `${outcome}: ${reason}`]),
    );
    expect(reasons).toMatchObject({
      'metafield:custom.colours': 'written: generated',
      'metafield:custom.material':
        'unfit: it does not fit the definition (single_line_text_field): “steel” is none of the choices: Glass',
      'metafield:custom.capacity':
        'unfit: it does not fit the definition (number_integer): it is more than 500',
      'metafield:specs.height':
        'unfit: the store does not define specs.height: define it, or set writeBack.definitions: create',
    });
    expect(row.reason).toContain('4 without a place: ');
    expect(Object.keys(metafields())).toEqual(['custom.colours']);
  });

  it('sends the rest to the namespace of sections, within the definitions that are there', async () => {
    defineAll();
    define('catalog.power', 'number_integer');
    settings({ attributes: { material: 'custom.material' }, sections: { namespace: 'catalog' } });
    await stages.sync();
    const row = await shop.written(bottle, { sections: SECTIONS });
    expect(Object.keys(metafields()).sort()).toEqual([
      ...['catalog.capacity', 'catalog.care', 'catalog.colours', 'catalog.height', 'custom.material'],
    ]);
    expect(row.fields.find(({ target }) => target === 'metafield:catalog.power')).toMatchObject({
      outcome: 'unfit',
      reason: 'it does not fit the definition (number_integer): it is no whole number',
    });
  });
});

describe('writeBack.definitions: create', () => {
  it('defines what is missing, once, and leaves what the merchant defined', async () => {
    define('custom.material', 'single_line_text_field', { choices: '["Steel"]' });
    settings({
      ...{ definitions: 'create', sections: { namespace: 'catalog' } },
      attributes: { material: 'custom.material', capacity: 'custom.capacity' },
    });
    await stages.sync();
    expect(await shop.written(bottle, { sections: SECTIONS.slice(0, 4) })).toMatchObject({
      state: 'applied',
    });
    const defined = (): string[] =>
      shop.store.products
        .definitions()
        .map(({ namespace, key, name, type }) => `${namespace}.${key} ${name} ${type}`);
    expect(defined().sort()).toEqual([
      'catalog.colours Colours list.single_line_text_field',
      'catalog.height Height single_line_text_field',
      'custom.capacity Capacity number_integer',
      'custom.material material single_line_text_field',
    ]);
    const again = [{ code: 'capacity', value: 'a lot' }];
    const row = await shop.written(bottle, { sections: again });
    expect(row.fields[0]).toMatchObject({ outcome: 'unfit' });
    expect(defined()).toHaveLength(4);
  });
});
