import { describe, expect, it } from '@jest/globals';
import {
  changeOf,
  creationOf,
  externalId,
  linkOf,
  rules,
  snapshot,
  variant,
  NO_OTHER_OWNERS,
} from '../../test/support/product-builders.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import {
  sharedSincePlan,
  valueKey,
  resolveIdentity,
  type CatalogHolder,
  type IdentityView,
} from './identity.js';
import { generatedCatalogFields } from './generated-fields.js';
import { planProduct, type LinkView, type PlannedChange } from './plan-product.js';

const generated = generatedCatalogFields({ name: 'title' });
const other = externalId('2');
const skuKey = valueKey({ kind: 'sku', value: 'BOT-1' });
const barcode = '4006381333931';

const withheldSku: WithheldIdentifier = {
  kind: 'sku',
  value: 'BOT-1',
  owner: externalId(),
  reason: `SKU BOT-1 is also used by ${other}`,
  holder: { whose: 'this_store', externalIds: [other], catalogId: null },
};

function view(over: Partial<IdentityView> = {}): IdentityView {
  return { ...NO_OTHER_OWNERS, ...over };
}

function holder(over: Partial<CatalogHolder> = {}): CatalogHolder {
  return { kind: 'sku', value: 'BOT-1', catalogId: '90', externalId: null, isVariant: false, ...over };
}

function resolve(change: PlannedChange, seen: IdentityView, link: LinkView | null = null): PlannedChange {
  const resolved = resolveIdentity(change, link, seen, generated);
  if (resolved.kind === 'unchanged') throw new Error('a change was expected');
  return resolved.change;
}

const creation = creationOf(snapshot());
const model = snapshot({
  hasOnlyDefaultVariant: false,
  options: [{ name: 'Size', values: ['S', 'M'] }],
  variants: [
    variant({ id: '11', title: 'S', sku: 'BOT-1' }),
    variant({ id: '12', title: 'M', sku: 'BOT-2', barcode: null }),
  ],
});

describe('a creation', () => {
  it('whose identifiers are its own alone is sent as it is', () => {
    const owners = new Map([[skuKey, [externalId()]]]);
    expect(resolve(creation, view({ owners }))).toEqual(creation);
  });

  it('withholds an identifier that another product of the stores has', () => {
    const resolved = resolve(creation, view({ owners: new Map([[skuKey, [externalId(), other]]]) }));
    expect(resolved).toMatchObject({ kind: 'create', catalogId: null, withheld: [withheldSku] });
    expect(resolved.fields).not.toContain('sku');
    expect(resolved.fields).toContain('barcode');
  });

  it('names every other product that has the identifier, and its own store where one of them is there', () => {
    const elsewhere = 'shopify:other.myshopify.com:9';
    const owners = new Map([[skuKey, [externalId(), elsewhere, other]]]);
    expect(resolve(creation, view({ owners })).withheld).toEqual([
      {
        ...withheldSku,
        reason: `SKU BOT-1 is also used by ${elsewhere}, ${other}`,
        holder: { whose: 'this_store', externalIds: [elsewhere, other], catalogId: null },
      },
    ]);
  });

  it('keeps the value of another kind apart: a sku that reads like somebody’s barcode is no conflict', () => {
    const owners = new Map([[valueKey({ kind: 'barcode', value: 'BOT-1' }), [other]]]);
    const holders = [
      holder({ kind: 'mpn', externalId: 'erp:1' }),
      holder({ value: 'BOT-2', externalId: 'erp:1' }),
    ];
    expect(resolve(creation, view({ owners, holders }))).toEqual(creation);
  });

  it('never touches a catalog product that has another external_id', () => {
    const resolved = resolve(creation, view({ holders: [holder({ externalId: 'erp:1' })] }));
    expect(resolved).toMatchObject({
      kind: 'create',
      catalogId: null,
      withheld: [{ kind: 'sku', reason: 'SKU BOT-1 is held by catalog product 90 of erp:1' }],
    });
  });

  it('adopts the one catalog product that an identifier matches and nobody owns', () => {
    const holders = [holder(), holder({ kind: 'barcode', value: barcode })];
    expect(resolve(creation, view({ holders }))).toMatchObject({
      kind: 'adopt',
      catalogId: '90',
      withheld: [],
      fields: creation.fields,
      reason: 'in the catalog without an external_id: adopted by its identifier',
      wantsGeneration: true,
    });
  });

  it('adopts nothing for a store that a merchant installed, and withholds what matches', () => {
    const seen = view({ holders: [holder()], mayAdopt: false });
    const resolved = resolve(creation, seen);
    expect(resolved).toMatchObject({ kind: 'create', catalogId: null, withheld: [{ kind: 'sku' }] });
    expect(resolved.withheld[0]?.reason).toContain('a store that was installed by its merchant adopts none');
  });

  it('treats values that differ only in letter case and blanks as the same', () => {
    const seen = view({ holders: [holder({ value: ' bot-1', externalId: 'erp:1' })] });
    expect(resolve(creation, seen).withheld).toMatchObject([{ kind: 'sku', holder: { whose: 'foreign' } }]);
  });

  it('adopts by one identifier also when another is held by a stranger', () => {
    const holders = [
      holder(),
      holder({ kind: 'barcode', value: barcode, catalogId: '91', externalId: 'erp:1' }),
    ];
    const resolved = resolve(creation, view({ holders }));
    expect(resolved).toMatchObject({ kind: 'adopt', catalogId: '90', withheld: [{ kind: 'barcode' }] });
    expect(resolved.fields).not.toContain('barcode');
  });

  it.each<[string, Partial<IdentityView>]>([
    ['two candidates', { holders: [holder(), holder({ kind: 'barcode', value: barcode, catalogId: '91' })] }],
    ['a candidate that other changes claim too', { holders: [holder()], contested: new Set(['90']) }],
    ['a candidate that is a variant of another product', { holders: [holder({ isVariant: true })] }],
  ])('adopts nothing with %s, and withholds what matches', (_what, over) => {
    const resolved = resolve(creation, view(over));
    expect(resolved).toMatchObject({ kind: 'create', catalogId: null });
    expect(resolved.withheld.map(({ kind }) => kind)).toEqual(over.holders?.map(({ kind }) => kind));
    expect(resolved.withheld[0]?.reason).toBe(
      'SKU BOT-1 is held by catalog product 90, which cannot be adopted by one product alone',
    );
  });

  it('adopts nothing by an identifier that it shares', () => {
    const owners = new Map([[skuKey, [externalId(), other]]]);
    expect(resolve(creation, view({ owners, holders: [holder()] }))).toMatchObject({
      kind: 'create',
      withheld: [withheldSku],
    });
  });

  it('adopts nothing by the identifier of one of its variants', () => {
    const resolved = resolve(creationOf(model), view({ holders: [holder()] }));
    expect(resolved).toMatchObject({ kind: 'create', withheld: [{ owner: externalId('1', '11') }] });
  });

  it('is an update in place when the catalog already has its external_id', () => {
    const holders = [holder({ externalId: externalId() })];
    expect(resolve(creation, view({ holders, ownCatalogId: '90' }))).toMatchObject({
      kind: 'adopt',
      catalogId: '90',
      withheld: [],
      reason: 'already in the catalog under its external_id',
    });
  });

  it.each<[string, Partial<LinkView>, string | null, ProductSnapshot, boolean]>([
    ['and asks for nothing: its workspace has another name', {}, '7', snapshot(), false],
    ['and asks for the edit: its workspace has another name', {}, '7', snapshot({ vendor: 'Other' }), true],
    ['but as a new one: another workspace lacks it', {}, null, snapshot(), true],
    ['and asks as a new one: it was gone meanwhile', { isElsewhere: false }, '7', snapshot(), true],
  ])('goes by its external_id %s', (_when, over, ownCatalogId, read, wantsGeneration) => {
    const link = linkOf(snapshot(), { goneFromCatalog: true, isElsewhere: true, ...over });
    const change = changeOf(planProduct(read, link, rules(), generated));
    const resolved = resolve(change, view({ ownCatalogId }), link);
    expect(resolved).toMatchObject({
      kind: ownCatalogId === null ? 'create' : 'adopt',
      catalogId: ownCatalogId,
      body: { external_id: externalId() },
      wantsGeneration,
    });
  });

  it('that is in the catalog already adopts no second product, and withholds what that one holds', () => {
    const resolved = resolve(creation, view({ holders: [holder({ catalogId: '91' })], ownCatalogId: '90' }));
    expect(resolved).toMatchObject({ kind: 'adopt', catalogId: '90', withheld: [{ kind: 'sku' }] });
  });

  it('finds its own variants in the catalog without taking offence', () => {
    const holders = [holder({ externalId: externalId('1', '11'), isVariant: true, catalogId: '91' })];
    expect(resolve(creationOf(model), view({ holders, ownCatalogId: '90' })).withheld).toEqual([]);
  });
});

describe('an update', () => {
  const link = linkOf(snapshot());
  const renumbered = snapshot({ variants: [variant({ sku: 'BOT-9' })] });
  const update = changeOf(planProduct(renumbered, link, rules(), generated));
  const holders = [holder({ value: 'BOT-9', externalId: 'erp:1' })];

  it('of an identifier that is free is sent', () => {
    expect(resolve(update, view(), link)).toMatchObject({
      kind: 'update',
      fields: ['sku'],
      wantsGeneration: true,
    });
  });

  it('to an identifier that is withheld clears the outdated one: the catalog must not keep it', () => {
    const resolved = resolve(update, view({ holders }), link);
    expect(resolved).toMatchObject({ fields: ['sku'], withheld: [{ kind: 'sku', value: 'BOT-9' }] });
  });

  it('from a withheld identifier to another withheld one sends nothing: the catalog holds neither', () => {
    const withheld: WithheldIdentifier[] = [{ ...withheldSku, value: 'BOT-8', reason: 'held' }];
    const { sku: _sku, ...pushedFields } = link.pushedFields;
    const conflicted = { ...link, state: 'conflicted' as const, withheld, pushedFields };
    const again = changeOf(planProduct(renumbered, conflicted, rules(), generated));
    const resolved = resolveIdentity(again, conflicted, view({ holders }), generated);
    expect(resolved).toMatchObject({ kind: 'unchanged', withheld: [{ kind: 'sku', value: 'BOT-9' }] });
  });

  it('of other fields goes on without the withheld identifier', () => {
    const changed = changeOf(planProduct({ ...renumbered, vendor: 'Other' }, link, rules(), generated));
    expect(resolve(changed, view({ holders }), link)).toMatchObject({
      fields: ['brand', 'sku'],
      reason: 'changed in the store: brand, sku',
      withheld: [{ kind: 'sku', value: 'BOT-9' }],
      wantsGeneration: true,
    });
  });

  it('of a written field alone asks for no generation', () => {
    const renamed = changeOf(planProduct(snapshot({ title: 'Flask' }), link, rules(), generated));
    expect(resolve(renamed, view(), link)).toMatchObject({ fields: ['name'], wantsGeneration: false });
  });

  it('does not withhold what its own catalog product holds, with or without its external_id', () => {
    const own = [holder({ value: 'BOT-9', catalogId: '70' })];
    expect(resolve(update, view({ holders: own }), link).withheld).toEqual([]);
    const named = [holder({ value: 'BOT-9', catalogId: '70', externalId: externalId() })];
    expect(resolve(update, view({ holders: named }), link).withheld).toEqual([]);
  });

  it('withholds what its own catalog product holds under the external_id of another system', () => {
    const taken = [holder({ value: 'BOT-9', catalogId: '70', externalId: 'erp:1' })];
    expect(resolve(update, view({ holders: taken }), link).withheld).toMatchObject([
      { kind: 'sku', reason: 'SKU BOT-9 is held by catalog product 70 of erp:1' },
    ]);
  });

  it('that only withholds its identifier asks for no generation', () => {
    const resolved = resolve(update, view({ holders }), link);
    expect(resolved).toMatchObject({ fields: ['sku'], wantsGeneration: false });
  });

  it('of its own barcode asks for generation, although its SKU is withheld', () => {
    const both = snapshot({ variants: [variant({ sku: 'BOT-9', barcode: '4006381333948' })] });
    const change = changeOf(planProduct(both, link, rules(), generated));
    expect(resolve(change, view({ holders }), link)).toMatchObject({
      fields: ['sku', 'barcode'],
      withheld: [{ kind: 'sku' }],
      wantsGeneration: true,
    });
  });

  it('never adopts', () => {
    const resolved = resolve(update, view({ holders: [holder({ value: 'BOT-9' })] }), link);
    expect(resolved).toMatchObject({ kind: 'update', catalogId: '70', withheld: [{ kind: 'sku' }] });
  });

  it('of a variant’s withheld identifier sends the variants without it', () => {
    const before = linkOf(model);
    const after = {
      ...model,
      variants: model.variants.map((each) => ({ ...each, barcode: `${each.externalId}-b` })),
    };
    const change = changeOf(planProduct(after, before, rules(), generated));
    const owners = new Map([[skuKey, [externalId('1', '11'), other]]]);
    const resolved = resolve(change, view({ owners }), before);
    expect(resolved.fields).toEqual(['variants']);
    expect(resolved.withheld).toEqual([{ ...withheldSku, owner: externalId('1', '11') }]);
  });
});

describe('an identifier that was withheld', () => {
  const { sku: _withheld, ...pushedFields } = linkOf(snapshot()).pushedFields;
  const link = linkOf(snapshot(), { state: 'conflicted', withheld: [withheldSku], pushedFields });
  const again = changeOf(planProduct(snapshot(), link, rules(), generated));

  it('is sent once it is free', () => {
    expect(resolve(again, view(), link)).toMatchObject({ kind: 'update', fields: ['sku'], withheld: [] });
  });

  it('stays withheld while it is shared: there is nothing to do', () => {
    const shared = view({ owners: new Map([[skuKey, [externalId(), other]]]) });
    expect(resolveIdentity(again, link, shared, generated)).toEqual({
      kind: 'unchanged',
      withheld: [withheldSku],
    });
  });
});

it('an orphan that is back stays a change, although nothing of it differs', () => {
  const link = linkOf(snapshot(), { state: 'orphaned' });
  const back = changeOf(planProduct(snapshot(), link, rules(), generated));
  expect(resolve(back, view(), link)).toMatchObject({
    fields: [],
    reason: 'back in the store; nothing but its place changed',
    wantsGeneration: false,
  });
});

describe('sharedSincePlan', () => {
  const owners = new Map([[skuKey, [externalId(), other]]]);

  it('names what another run has claimed since', () => {
    expect(sharedSincePlan(creation, owners)).toEqual([withheldSku]);
  });

  it('does not name what is withheld already, nor what is ours alone', () => {
    expect(sharedSincePlan({ ...creation, withheld: [withheldSku] }, owners)).toEqual([]);
    expect(sharedSincePlan(creation, new Map([[skuKey, [externalId()]]]))).toEqual([]);
    expect(sharedSincePlan(creation, new Map())).toEqual([]);
  });
});

describe('the holder of a withheld identifier', () => {
  const elsewhere = 'shopify:elsewhere.myshopify.com:7';
  const variantOfOther = `${other}:22`;
  const owned = (by: string) => ({ owners: new Map([[skuKey, [externalId(), by]]]) });
  const shown = (id: string | null, ...known: [string, 'live' | 'orphaned'][]) => ({
    holders: [holder({ externalId: id, isVariant: id === null || id === variantOfOther })],
    known: new Map(known),
  });

  it.each<[string, Partial<IdentityView>, string, string[], string | null]>([
    ['one of the store has it', owned(other), 'this_store', [other], null],
    ['one of another store has it', owned(elsewhere), 'other_store', [elsewhere], null],
    ['the catalog shows one of the store', shown(other, [other, 'live']), 'this_store', [other], '90'],
    ['the catalog shows an orphan', shown(other, [other, 'orphaned']), 'orphan', [other], '90'],
    ['the catalog shows another’s', shown(elsewhere, [elsewhere, 'live']), 'other_store', [elsewhere], '90'],
    [
      'the catalog shows a variant of an orphan',
      shown(variantOfOther, [other, 'orphaned']),
      'orphan',
      [variantOfOther],
      '90',
    ],
    ['no store has erp:1', shown('erp:1'), 'foreign', ['erp:1'], '90'],
    ['no store of the workspace has it', shown(elsewhere), 'foreign', [elsewhere], '90'],
    ['one without an external_id cannot be adopted', shown(null), 'unclaimed', [], '90'],
  ])('is named where %s', (_where, seen, whose, externalIds, catalogId) => {
    const [first] = resolve(creation, view(seen)).withheld;
    expect(first?.holder).toEqual({ whose, externalIds, catalogId });
  });
});
