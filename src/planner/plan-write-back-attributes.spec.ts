import { describe, expect, it } from '@jest/globals';
import { liveValue } from '../domain/store-port.js';
import {
  decide,
  intended,
  live,
  writeBackContext,
  translated,
  type LiveMetafield,
  NO_DEFINITIONS,
} from '../../test/support/product-builders.js';
import { valueHash } from '../domain/written-content.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { translationTarget } from '../domain/write-target.js';
import type { DefinitionsView } from './defined-value.js';
import { decideFields } from './plan-write-back.js';

const NAME = 'custom.property';
const TARGET = `metafield:${NAME}`;

function attribute(over: Partial<IntendedValue> = {}): IntendedValue {
  return intended({
    target: TARGET,
    value: 'Glass',
    type: 'single_line_text_field',
    from: 'sections.property',
    raw: null,
    ...over,
  });
}

function definedAs(type: string, create = false): DefinitionsView {
  const definition = { namespace: 'custom', key: 'property', type, validations: [] };
  return { ...NO_DEFINITIONS, known: { product: new Map([[NAME, definition]]), variant: new Map() }, create };
}

function held(type: string, value: string): LiveMetafield {
  return { namespace: 'custom', key: 'property', type, value, digest: 'd1' };
}

describe('an attribute with a metafield of its own', () => {
  it('that does not fit the definition is not written, and says why', () => {
    expect(decide(attribute(), live(), { definitions: definedAs('number_integer') })).toMatchObject({
      verdict: 'unfit',
      reason: expect.stringMatching(/^it does not fit the definition \(number_integer\): ./),
      before: null,
      token: null,
    });
  });

  it('is written in the type of the definition', () => {
    const decision = decide(attribute({ value: '12' }), live(), { definitions: definedAs('number_integer') });
    expect(decision).toMatchObject({ verdict: 'write', value: '12', type: 'number_integer' });
    expect(decision).not.toHaveProperty('defines');
  });

  it('creates a missing definition where that is wanted, and only when it is written', () => {
    const definitions = { ...NO_DEFINITIONS, create: true };
    expect(decide(attribute(), live(), { definitions })).toMatchObject({
      verdict: 'write',
      defines: {
        owner: 'product',
        namespace: 'custom',
        key: 'property',
        type: 'single_line_text_field',
        name: 'Property',
      },
    });
    const same = decide(attribute(), live({}, [held('single_line_text_field', 'Glass')]), { definitions });
    expect(same.verdict).toBe('same');
    expect(same).not.toHaveProperty('defines');
  });

  it('that was not generated is not written, with the reason', () => {
    expect(decide(attribute({ withheld: 'nothing came' }))).toMatchObject({
      verdict: 'not_generated',
      reason: 'nothing came',
    });
  });
});

it('the merchant’s markup is kept at the end of a description, and of no other field', () => {
  const image = '<img src="https://cdn.example.com/a.jpg">';
  const product = live({ descriptionHtml: `<p>Old.</p>${image}`, title: `Old ${image}` });
  const seen = {
    descriptionHtml: valueHash(liveValue(product, 'descriptionHtml').value),
    title: valueHash(liveValue(product, 'title').value),
  };
  const keep = ['img'] as const;
  const html = intended({ target: 'descriptionHtml', value: '<p>New.</p>', raw: '<p>New.</p>' });
  expect(decide(html, product, { seen, keep }).value).toContain('a.jpg');
  expect(decide(intended({ value: 'New' }), product, { seen, keep }).value).toBe('New');
});

describe('a translation', () => {
  const target = translationTarget('fr', 'title');
  const french = intended({ target, value: 'Bouteille', raw: 'Bouteille' });
  const translations = new Map([['fr', { problem: null, never: [], texts: new Map() }]]);

  it('that only returns the shop’s own text, as pushed, was not generated', () => {
    const pushedValues = { [translationTarget('fr', french.from)]: valueHash('Bouteille') };
    expect(decide(french, live(), { translations, pushedValues }).verdict).toBe('not_generated');
    expect(decide(french, live(), { translations, pushedValues: {} }).verdict).not.toBe('not_generated');
  });

  it('of a metafield that the store does not translate is left out, with the type', () => {
    const metafield = attribute({ value: '12' });
    const french = { ...metafield, target: translationTarget('fr', TARGET) };
    const context = writeBackContext({ definitions: definedAs('number_integer') });
    const product = translated(live(), translations, [TARGET]);
    const [, decision] = decideFields([metafield, french], product, context);
    expect(decision).toMatchObject({
      verdict: 'untranslatable',
      reason: 'the store holds it as number_integer',
    });
  });
});
