import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  decide,
  intended,
  live,
  ourText,
  revertedText,
  writeBackContext,
} from '../../test/support/product-builders.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { valueHash, type WrittenContent, type WrittenField } from '../domain/written-content.js';
import { contentFingerprint } from './content-fingerprint.js';
import { decideFields, type WriteBackContext } from './plan-write-back.js';

function description(value: string): IntendedValue {
  return intended({ target: 'descriptionHtml', value, from: 'html_description', raw: value });
}

const ours = { title: ourText('Ours', 'Bottle') };
const EDITED_SINCE_READ = 'the merchant edited it after it was read';
const EDITED_SINCE_WRITTEN = 'the merchant edited it after we wrote it';

describe('a field', () => {
  const edited = { written: ours, seen: { title: valueHash('Edited') } };
  const reverted = { title: revertedText('Ours', 'Bottle') };
  const NOT_KNOWN = 'what it held when the content was asked for is not known';
  const CONFIGURED = 'overwritten by configuration, although ';

  it.each<[string, string | null, Partial<WriteBackContext>]>([
    ['that is as it was read', 'Bottle', {}],
    ['that is empty, as it was read,', null, { seen: { title: valueHash(null) } }],
    ['that we wrote and nobody touched', 'Ours', { written: ours }],
    ['in which the merchant restored our text', 'Ours', edited],
    ['that is reverted and as it was read', 'Bottle', { written: reverted }],
    ['that we wrote and that was not read', 'Ours', { seen: {}, written: ours }],
  ])('%s is written', (_what, title, context) => {
    const expected = { verdict: 'write', reason: 'generated', before: title, token: null };
    expect(decide(intended(), live({ title }), context)).toMatchObject(expected);
  });

  it.each<[string, string | null, Partial<WriteBackContext>, string]>([
    ['edited since it was read', 'Edited', {}, EDITED_SINCE_READ],
    ['cleared since it was read', null, {}, EDITED_SINCE_READ],
    ['edited after we wrote it', 'Edited', { written: ours }, EDITED_SINCE_WRITTEN],
    ['cleared after we wrote it', null, { written: ours }, EDITED_SINCE_WRITTEN],
    ['edited after we wrote it, and read by a run since,', 'Edited', edited, EDITED_SINCE_WRITTEN],
    [
      'that holds an earlier text of ours, put there by somebody,',
      'Ours',
      { written: { title: ourText('Ours 2', 'Bottle', 'Ours') } },
      EDITED_SINCE_WRITTEN,
    ],
    [
      'that was reverted after it was read',
      'Bottle',
      { written: reverted, seen: { title: valueHash('Ours') } },
      EDITED_SINCE_READ,
    ],
    ['of which nobody knows what was read', 'Bottle', { seen: {} }, NOT_KNOWN],
    ['that is empty and of which nobody knows what was read', null, { seen: {} }, NOT_KNOWN],
  ])('%s is left to the merchant', (_what, title, context, reason) => {
    const expected = { verdict: 'conflict', reason, before: title, token: null };
    expect(decide(intended(), live({ title }), context)).toMatchObject(expected);
  });

  it.each<[string, Partial<WriteBackContext>, string]>([
    [
      'edited after we wrote it, by configuration',
      { written: ours, onConflict: 'overwrite' },
      CONFIGURED + EDITED_SINCE_WRITTEN,
    ],
    ['edited since the read, by configuration', { onConflict: 'overwrite' }, CONFIGURED + EDITED_SINCE_READ],
    [
      'edited after we wrote it, once approved',
      { written: ours, released: true },
      `approved, although ${EDITED_SINCE_WRITTEN}`,
    ],
  ])('%s, is written over', (_what, context, reason) => {
    const expected = { verdict: 'write', reason, before: 'Edited', token: null };
    expect(decide(intended(), live({ title: 'Edited' }), context)).toMatchObject(expected);
  });

  it('that says it already is not written', () => {
    const expected = {
      verdict: 'same',
      reason: 'the store already says this',
      before: 'Generated',
      token: null,
    };
    expect(decide(intended(), live({ title: 'Generated' }))).toMatchObject(expected);
  });

  it('keeps what is meant, and the live value as the before-image', () => {
    expect(decide(intended())).toEqual({
      ...intended(),
      verdict: 'write',
      reason: 'generated',
      before: 'Bottle',
      token: null,
    });
  });

  it('is decided by itself: a conflict in one holds up no other', () => {
    const values = [intended(), intended({ target: 'vendor', value: 'Ours', from: 'brand', raw: 'Ours' })];
    const decisions = decideFields(values, live({ title: 'Edited' }), writeBackContext());
    expect(decisions.map(({ target, verdict }) => [target, verdict])).toEqual([
      ['title', 'conflict'],
      ['vendor', 'write'],
    ]);
  });
});

describe('a result that merely returns', () => {
  const returned = intended({ value: 'Bottle', raw: 'Bottle' });

  it('what was pushed is not generated content: our text stays', () => {
    expect(decide(returned, live({ title: 'Ours' }), { written: ours })).toMatchObject({
      verdict: 'not_generated',
      reason: 'the catalog returns the store’s own text: nothing was generated',
    });
  });

  it('what was pushed does not overwrite an edit, even where the configuration would', () => {
    const context = { onConflict: 'overwrite' as const, released: true };
    expect(decide(returned, live({ title: 'Edited' }), context).verdict).toBe('not_generated');
  });

  it('what was pushed is recognised by the raw value, before it was sanitised', () => {
    const spaced = intended({ value: 'Bottle', raw: ' Bottle ' });
    const context = { pushedValues: { name: valueHash(' Bottle ') } };
    expect(decide(spaced, live({ title: 'Ours' }), { ...context, written: ours }).verdict).toBe(
      'not_generated',
    );
  });

  it('the text that ours replaced is not generated, also when another text was pushed since', () => {
    const context = { written: ours, pushedValues: { name: valueHash('Other') } };
    expect(decide(returned, live({ title: 'Ours' }), context).verdict).toBe('not_generated');
  });

  it('the text of another field is generated content', () => {
    const context = { pushedValues: { brand: valueHash('Acme') } };
    expect(decide(intended({ value: 'Acme', raw: 'Acme' }), live(), context).verdict).toBe('write');
  });

  it('the HTML that ours replaced is seen whatever its spelling', () => {
    const written = { descriptionHtml: ourText('<p>Ours</p>', '<p>a<br />b</p>') };
    const product = live({ descriptionHtml: '<p>Ours</p>' });
    expect(decide(description('<p>a<br>b</p>'), product, { written }).verdict).toBe('not_generated');
  });

  it('nothing, where ours replaced nothing, does not stop content', () => {
    const written = { title: ourText('Ours', null) };
    expect(decide(intended(), live({ title: 'Ours' }), { written }).verdict).toBe('write');
  });
});

describe('a place that the store keeps closed', () => {
  const closed = {
    value: 'Bottle',
    token: null,
    type: null,
    closed: { why: 'gone', reason: 'it is gone' },
  } as const;
  const product = live();

  it('is not written, and says why', () => {
    const values = new Map([...product.values, ['title', closed] as const]);
    expect(decide(intended(), { ...product, values }, { released: true })).toEqual({
      ...intended(),
      verdict: 'unfit',
      reason: 'it is gone',
      before: 'Bottle',
      token: null,
    });
  });

  it('takes no translation either, unless only its own text is missing and is written', () => {
    const translation = intended({ target: 'fr:title', value: 'Gourde', raw: 'Gourde' });
    const decideIn = (why: 'never' | 'no_original', ...further: IntendedValue[]) => {
      const place = { value: null, token: null, type: null, closed: { why, reason: 'no place' } };
      const values = new Map([...product.values, ['fr:title', place] as const]);
      return decideFields([translation, ...further], { ...product, values }, writeBackContext())[0];
    };
    expect(decideIn('never', intended())).toMatchObject({ verdict: 'untranslatable', reason: 'no place' });
    expect(decideIn('no_original')).toMatchObject({ verdict: 'untranslatable', reason: 'no place' });
    expect(decideIn('no_original', intended())).toMatchObject({ verdict: 'write', value: 'Gourde' });
  });
});

describe('pictures of the merchant’s own description', () => {
  const PICTURE = '<p>x</p><img src="https://pictures.example/a.jpg" />';
  const material = intended({
    target: 'metafield:catalog.material',
    value: PICTURE,
    type: 'multi_line_text_field',
    from: 'sections.material',
    raw: null,
  });

  it('are from hosts that an attribute may use as well, also where our text stands in the description', () => {
    expect(decide(material, live({ descriptionHtml: PICTURE }))).toMatchObject({ value: PICTURE });
    const written = { descriptionHtml: ourText('<p>Ours</p>', PICTURE) };
    const product = live({ descriptionHtml: '<p>Ours</p>' });
    expect(decide(material, product, { written })).toMatchObject({ value: PICTURE });
  });

  it('are needed for that: a picture from elsewhere is left out, and a value that was nothing else is not written', () => {
    expect(decide(material).value).not.toContain('<img');
    const alone = { ...material, value: '<img src="https://pictures.example/a.jpg" />' };
    const unfit = { verdict: 'unfit', reason: expect.stringMatching(/^nothing is left of it: picture /) };
    expect(decide(alone)).toMatchObject(unfit);
    const texts = new Map([['metafield:catalog.material', { value: null }]]);
    const translations = new Map([['fr', { problem: null, texts, never: [] }]]);
    const french = { ...alone, target: 'fr:metafield:catalog.material' };
    expect(decide(french, live(), { translations })).toMatchObject(unfit);
  });
});

describe('an attempt that was cut off', () => {
  const sentBefore = { title: { value: 'Generated', before: 'Bottle' } };

  it('is not repeated when it had written', () => {
    expect(decide(intended(), live({ title: 'Generated' }), { sentBefore })).toMatchObject({
      verdict: 'written_before',
      reason: 'written by an earlier attempt that was cut off',
      before: 'Generated',
    });
  });

  it('is carried out when it had not written', () => {
    expect(decide(intended(), live(), { sentBefore }).verdict).toBe('write');
  });

  it('over which the merchant has edited since is a conflict', () => {
    expect(decide(intended(), live({ title: 'Edited' }), { sentBefore }).verdict).toBe('conflict');
  });

  it('is known by what it sent, also when the store spells it otherwise', () => {
    const sent = { descriptionHtml: { value: '<p>a<br />b</p>', before: null } };
    const product = live({ descriptionHtml: '<p>a<br>b</p>\n' });
    expect(decide(description('<p>other</p>'), product, { sentBefore: sent }).verdict).toBe('written_before');
  });

  it('gives way to a text that a person made of it since', () => {
    const product = live({ title: 'Generated' });
    expect(decide(intended({ value: 'By a person', version: 2 }), product, { sentBefore })).toMatchObject({
      verdict: 'write',
      before: 'Generated',
    });
  });

  it('of another field says nothing of this one', () => {
    const sent = { vendor: { value: 'Generated', before: null } };
    expect(decide(intended(), live({ title: 'Generated' }), { sentBefore: sent }).verdict).toBe('same');
  });

  it.each<[string, Partial<WriteBackContext>, string]>([
    [
      'a newer result has a value for the same target',
      { newerTargets: new Set(['title']) },
      'a newer result has a value for it',
    ],
    [
      'no setting maps anything to it any more',
      { isMapped: (target) => target !== 'title' },
      'no setting maps a value to it any more',
    ],
  ])('is left alone where %s, also as an edit and after an approval', (_why, context, reason) => {
    for (const [title, released] of [
      ['Bottle', false],
      ['Edited', false],
      ['Edited', true],
    ] as const)
      expect(decide(intended(), live({ title }), { ...context, released })).toMatchObject({
        ...{ verdict: 'unfit', reason, before: title },
      });
  });

  it('is written where the newer result is about another one, and finished where it was begun before a setting went', () => {
    expect(decide(intended(), live(), { newerTargets: new Set(['descriptionHtml']) }).verdict).toBe('write');
    const begun = { sentBefore: { title: { value: 'Generated', before: 'Bottle' } }, isMapped: () => false };
    expect(decide(intended(), live(), begun).verdict).toBe('write');
  });
});

describe('HTML that the store has normalised', () => {
  it.each([
    ['<p>a<br />b</p>', '<p>a<br>b</p>'],
    ['<ul><li>a</li><li>b</li></ul>', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>'],
    ['<p>a &amp; b</p>', '<p>a &#38; b</p>'],
  ])('says the same: %j and %j', (meant, held) => {
    expect(decide(description(meant), live({ descriptionHtml: held })).verdict).toBe('same');
  });

  it('is not said of other words, nor of a plain field', () => {
    expect(decide(description('<p>Holds two litres.</p>')).verdict).toBe('write');
    const spelt = intended({ value: '<p>a</p>', raw: null });
    expect(
      decide(spelt, live({ title: '<P>a</P>' }), { seen: { title: valueHash('<P>a</P>') } }).verdict,
    ).toBe('write');
  });
});

function titleWritten(entry: WrittenField | undefined): WrittenContent {
  return entry === undefined ? {} : { title: entry };
}

describe('any texts', () => {
  const text = fc.option(fc.constantFrom('Bottle', 'Ours', 'Ours 2', 'Generated', 'Edited'));
  const written = fc.option(
    fc.constantFrom(ours.title, ourText('Ours 2', 'Bottle', 'Ours'), revertedText('Ours', 'Bottle')),
    { nil: undefined },
  );

  it('under skip nothing is written over a value that is neither ours nor the one that was read', () => {
    fc.assert(
      fc.property(text, text, written, (title, seen, entry) => {
        const { verdict } = decide(intended(), live({ title }), {
          seen: { title: valueHash(seen) },
          written: titleWritten(entry),
        });
        const expected = entry?.ours ?? valueHash(seen);
        if (verdict === 'write') expect(valueHash(title)).toBe(expected);
        if (title === 'Edited' && entry?.ours != null) expect(verdict).toBe('conflict');
      }),
    );
  });

  it('once released or by overwrite nothing is a conflict', () => {
    const release = fc.constantFrom<Partial<WriteBackContext>>(
      { released: true },
      { onConflict: 'overwrite' },
    );
    fc.assert(
      fc.property(text, written, release, (title, entry, by) => {
        const context = { ...by, written: titleWritten(entry) };
        expect(decide(intended(), live({ title }), context).verdict).not.toBe('conflict');
      }),
    );
  });
});

describe('contentFingerprint', () => {
  const values = [
    intended(),
    intended({ target: 'metafield:catalog.material', type: 'json' }),
    description('<p>x</p>'),
  ];

  it('does not depend on the order of the fields', () => {
    expect(contentFingerprint([...values].reverse())).toBe(contentFingerprint(values));
    expect(contentFingerprint([values[1]!, values[2]!, values[0]!])).toBe(contentFingerprint(values));
  });

  it('leaves the values in their order', () => {
    const given = [...values];
    contentFingerprint(given);
    expect(given).toEqual(values);
  });

  it.each<[string, boolean, Partial<IntendedValue>]>([
    ['target', false, { target: 'vendor' }],
    ['value', false, { value: 'Other' }],
    ['type', false, { type: 'json' }],
    ['origin', true, { from: 'brand' }],
    ['raw text', true, { raw: 'other' }],
  ])('with another %s is the same content: %s', (_what, same, change) => {
    expect(contentFingerprint([intended(change)]) === contentFingerprint([intended()])).toBe(same);
  });
});
