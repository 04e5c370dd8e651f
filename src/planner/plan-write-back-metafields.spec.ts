import { describe, expect, it } from '@jest/globals';
import {
  decide,
  intended,
  live,
  ourText,
  revertedText,
  type LiveMetafield,
  NO_DEFINITIONS,
} from '../../test/support/product-builders.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { withLandedWrites } from './plan-write-back.js';

const MATERIAL = 'metafield:catalog.material';

function liveMetafield(over: Partial<LiveMetafield> = {}): LiveMetafield {
  return {
    namespace: 'catalog',
    key: 'material',
    type: 'single_line_text_field',
    value: 'Steel',
    digest: 'd1',
    ...over,
  };
}

function material(over: Partial<IntendedValue> = {}): IntendedValue {
  return intended({
    target: MATERIAL,
    value: 'Glass',
    type: 'single_line_text_field',
    from: 'sections.material',
    raw: null,
    ...over,
  });
}

describe('a metafield', () => {
  const [left, kept] = ['the merchant edited it after we wrote it', 'somebody else keeps a value there'];
  const ours = { written: { [MATERIAL]: ourText('Steel', null) } };
  const reverted = { written: { [MATERIAL]: revertedText('Steel', null) } };
  const steel = [liveMetafield()];
  const created = { verdict: 'write', reason: 'generated', before: null, token: null };
  it.each<[string, LiveMetafield[], Parameters<typeof decide>[2], object, Partial<IntendedValue>?]>([
    ['that does not exist is created: nothing guards it', [], {}, created],
    [
      'that does not exist is not nought',
      [],
      {},
      { verdict: 'write' },
      { type: 'number_integer', value: '0' },
    ],
    [
      'of ours is replaced, guarded by its digest',
      steel,
      ours,
      { verdict: 'write', before: 'Steel', token: 'd1' },
    ],
    ['that somebody else keeps is left alone', steel, {}, { verdict: 'conflict', reason: kept }],
    ['of ours that the merchant removed stays removed', [], ours, { verdict: 'conflict', reason: left }],
    ['of ours that was reverted may be written again', [], reverted, { verdict: 'write' }],
  ])('%s', (_what, held, context, expected, over = {}) => {
    expect(decide(material(over), live({}, held), context)).toMatchObject(expected);
  });

  it('is found by namespace and key', () => {
    const others = [
      liveMetafield({ namespace: 'other', value: 'a', digest: 'x' }),
      liveMetafield({ key: 'colour', value: 'b', digest: 'y' }),
    ];
    expect(decide(material(), live({}, others)).before).toBeNull();
    expect(decide(material(), live({}, [...others, liveMetafield()])).before).toBe('Steel');
  });

  it('keeps the type that it has in the store', () => {
    const held = liveMetafield({ type: 'multi_line_text_field' });
    expect(decide(material(), live({}, [held]), ours).type).toBe('multi_line_text_field');
    expect(decide(material(), live()).type).toBe('single_line_text_field');
  });

  it.each([
    ['single_line_text_field', 'list.single_line_text_field', '["Steel"]', 'Steel'],
    ['multi_line_text_field', 'list.single_line_text_field', '["Glass","Wood"]', 'Glass\nWood'],
    ['list.single_line_text_field', 'single_line_text_field', 'Glass', '["Glass"]'],
    ['json', 'single_line_text_field', 'Glass', '"Glass"'],
    ['single_line_text_field', 'multi_line_text_field', '<b>Glass</b>', '<b>Glass</b>'],
  ])('of ours that is a %s in the store takes a %s as one', (held, type, value, fitted) => {
    const written = { [MATERIAL]: ourText('Old', null) };
    const present = liveMetafield({ type: held, value: 'Old' });
    const decision = decide(material({ type, value }), live({}, [present]), { written });
    expect(decision).toMatchObject({ verdict: 'write', type: held, value: fitted });
  });

  it.each([
    ['single_line_text_field', 'list.single_line_text_field', '["Glass","Wood"]', /a list of 2 values/],
    ['number_integer', 'single_line_text_field', 'many', /no whole number/],
  ])('of ours that is a %s in the store takes no %s that it cannot hold', (held, type, value, reason) => {
    const written = { [MATERIAL]: ourText('1', null) };
    const present = liveMetafield({ type: held, value: '1' });
    const decision = decide(material({ type, value }), live({}, [present]), { written });
    expect(decision).toMatchObject({ verdict: 'unfit', reason: expect.stringMatching(reason) });
  });

  it.each<[string, string, string, boolean]>([
    ['json', '{"a":1,"b":2}', '{"b": 2, "a": 1}', true],
    ['json', '{"a":1}', '{"a":2}', false],
    ['json', '{"a":1}', 'broken', false],
    ['list.number_integer', '[1,2]', '[1, 2]', true],
    ['list.number_integer', '[1,2]', '[2,1]', false],
    ['list.single_line_text_field', '[ "a","b" ]', '["a", "b"]', true],
    ['rating', '{"scale_max":"5.0","value":"4.0"}', '{"value":"4.0","scale_max":"5.0"}', true],
    ['rating', '{"value":"3.0"}', '{"value":"4.0"}', false],
    ['weight', '{"value":2500,"unit":"GRAMS"}', '{"value":2.5,"unit":"KILOGRAMS"}', true],
    ['weight', '{"value":2501,"unit":"GRAMS"}', '{"value":2.5,"unit":"KILOGRAMS"}', false],
    ['weight', 'light', 'heavy', false],
    ['weight', '{"value":2,"unit":"GRAMS"}', 'heavy', false],
    ['number_decimal', '1.5', '1.50', true],
    ['number_integer', '2', '2.0', true],
    ['number_integer', '2', '3', false],
    ['number_integer', 'many', 'some', false],
    ['single_line_text_field', '1.5', '1.50', false],
    ['single_line_text_field', '[1,2]', '[1, 2]', false],
    ['single_line_text_field', 'a', 'A', false],
    ['boolean', 'true', 'true', true],
  ])('of type %s that is to say %j and says %j: the same is %s', (type, value, held, same) => {
    const decision = decide(material({ type, value }), live({}, [liveMetafield({ type, value: held })]));
    expect(decision.verdict).toBe(same ? 'same' : 'conflict');
  });

  it('of the short description is HTML, which a store may spell otherwise', () => {
    const target = 'metafield:product.short_description';
    const held = liveMetafield({ namespace: 'product', key: 'short_description', value: 'Fish &amp; chips' });
    const sentBefore = { [target]: { value: 'Fish & chips', before: null } };
    const decision = decide(material({ target, value: 'Fish & chips' }), live({}, [held]), { sentBefore });
    expect(decision.verdict).toBe('written_before');
  });

  it('is compared by the type that it has in the store, not by the one that was meant', () => {
    const held = liveMetafield({ type: 'number_decimal', value: '2.0' });
    expect(decide(material({ type: 'single_line_text_field', value: '2' }), live({}, [held])).verdict).toBe(
      'same',
    );
  });
});

it.each([
  ['list.single_line_text_field', '["Glass","Wood"]', 'Glass\nWood'],
  ['json', '["Glass",1]', 'Glass\n1'],
  ['json', '{"a":1}', '{"a":1}'],
  ['number_integer', '5', '5'],
  ['single_line_text_field', '["Glass","Wood"]', '["Glass","Wood"]'],
])('a metafield of a store that takes any text says a %s of %s as people read it', (type, value, text) => {
  const definitions = { ...NO_DEFINITIONS, freeText: true };
  expect(decide(material({ type, value }), live(), { definitions })).toMatchObject({
    verdict: 'write',
    value: text,
  });
});

it.each([
  ['dimension', '{"value":25,"unit":"cm"}', '{"value":25.0,"unit":"CENTIMETERS"}'],
  ['date_time', '2026-11-20T10:00:00.5', '2026-11-20T10:00:00+00:00'],
  ['rating', '{"value":"4","scale_max":"5"}', '{"scale_max":"5","value":"4"}'],
])(
  'a metafield that was sent without an answer is ours in the spelling of the store: %s',
  (type, value, stored) => {
    const sent = { [MATERIAL]: { value, before: null } };
    const written = withLandedWrites(
      {},
      [sent],
      () => stored,
      () => type,
    );
    const next = decide(material({ type, value }), live({}, [liveMetafield({ type, value: stored })]), {
      written,
    });
    expect(next.verdict).toBe('same');
    expect(written[MATERIAL]).toMatchObject({ replaced: null });
  },
);
