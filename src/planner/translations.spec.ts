import { describe, expect, it } from '@jest/globals';
import {
  decide,
  live,
  translated,
  writeBackContext,
  writeBackSettings,
} from '../../test/support/product-builders.js';
import type { LiveTranslations } from '../store/shopify/api-types.js';
import type { WriteBackSettings } from '../domain/store-settings.js';
import { afterWrite, valueHash } from '../domain/written-content.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { localesOf, placeOfTarget, translationTarget } from '../domain/write-target.js';
import { intendedValues } from './generated-content.js';
import { contentFingerprint } from './content-fingerprint.js';
import { decideFields, withLandedWrites } from './plan-write-back.js';
import { holdsContent, intendedTranslations } from './translations.js';

const SETTINGS: WriteBackSettings = {
  ...writeBackSettings,
  fields: { name: 'title', html_description: 'descriptionHtml', brand: 'vendor' },
  sections: { namespace: 'catalog' },
  locales: ['fr'],
};

const french = (over: Partial<IntendedValue> = {}): IntendedValue => ({
  target: 'fr:title',
  value: 'Gourde',
  type: null,
  from: 'name',
  raw: 'Gourde',
  ...over,
});

function translations(over: Partial<LiveTranslations> = {}, value: string | null = null) {
  const texts = new Map([['title', { value }]]);
  return new Map([['fr', { problem: null, texts, never: [], ...over }]]);
}

describe('a target', () => {
  it.each([
    ['title', null, 'title'],
    ['seo.title', null, 'seo.title'],
    ['metafield:catalog.care', null, 'metafield:catalog.care'],
    ['metafield:app--1:x.care', null, 'metafield:app--1:x.care'],
    ['fr:title', 'fr', 'title'],
    ['pt-BR:metafield:catalog.care', 'pt-BR', 'metafield:catalog.care'],
  ])('%s is of the locale %s', (target, locale, base) => {
    expect(placeOfTarget(target)).toEqual({ locale, base });
    if (locale !== null) expect(translationTarget(locale, base)).toBe(target);
  });

  it('names each locale once', () => {
    expect(localesOf(['title', 'fr:title', 'de:title', 'fr:vendor', 'metafield:a.b'])).toEqual(['fr', 'de']);
  });
});

describe('intended translations', () => {
  const primary = { name: 'Bottle', html_description: '<p>Steel</p>', sections: [{ care: 'Wash', size: 3 }] };
  const intended = (product: object) =>
    intendedTranslations(intendedValues(primary, SETTINGS), product, 'fr', SETTINGS).map(
      ({ target, value, withheld }) => [target, value, withheld === undefined],
    );

  it('are mapped and sanitised like the primary text, and text metafields alone among the sections', () => {
    const product = {
      name: 'Gourde <b>1</b>',
      html_description: '<p>Acier</p><script>x</script>',
      sections: [{ care: 'Laver', size: 4, list: ['a'] }],
    };
    expect(intended(product)).toEqual([
      ['fr:title', 'Gourde 1', true],
      ['fr:descriptionHtml', '<p>Acier</p>', true],
      ['fr:metafield:catalog.care', 'Laver', true],
    ]);
  });

  it('are withheld where the catalog answers the text of its own language', () => {
    expect(intended({ ...primary, name: 'Gourde' })).toEqual([
      ['fr:title', 'Gourde', true],
      ['fr:descriptionHtml', '<p>Steel</p>', false],
      ['fr:metafield:catalog.care', 'Wash', false],
    ]);
    const own = intendedValues(primary, SETTINGS);
    expect(holdsContent(intendedTranslations(own, primary, 'fr', SETTINGS))).toBe(false);
  });

  it('do not move the fingerprint of the primary content; other translations are another content', () => {
    const own = french({ target: 'title', value: 'Bottle' });
    const alone = contentFingerprint([own]);
    expect(contentFingerprint([own, french({ withheld: 'the same' })])).toBe(alone);
    const both = contentFingerprint([own, french()]);
    expect(both.split('+')[0]).toBe(alone);
    expect(contentFingerprint([own, french({ value: 'Autre' })])).not.toBe(both);
  });
});

describe('a translation', () => {
  const ourOld = { written: { 'fr:title': afterWrite(undefined, 'Ancienne', null) } };
  const person = 'somebody else keeps a translation there';
  const sent = { 'fr:title': { value: 'Gourde', before: null } };
  it.each<[string, ReturnType<typeof translations>, Parameters<typeof decide>[2], string, string?]>([
    ['is written where there is none', translations(), {}, 'write'],
    ['is not sent where it stands already', translations({}, 'Gourde'), {}, 'same'],
    ['leaves a person’s alone', translations({}, 'La mienne'), {}, 'conflict', person],
    ['goes over a person’s when it is approved', translations({}, 'La mienne'), { released: true }, 'write'],
    ['goes over one by configuration', translations({}, 'Mienne'), { onConflict: 'overwrite' }, 'write'],
    ['replaces what we wrote', translations({}, 'Ancienne'), ourOld, 'write'],
    [
      'leaves alone what a person made of ours',
      translations({}, 'La mienne'),
      ourOld,
      'conflict',
      'somebody changed the translation after we wrote it',
    ],
    ['is known from an earlier attempt', translations({}, 'Gourde'), { sentBefore: sent }, 'written_before'],
    [
      'that equals the text sent to the catalog was not generated',
      translations(),
      { pushedValues: { name: valueHash('Gourde') } },
      'not_generated',
    ],
    ['has no place in a shop without its language', translations({ problem: 'no fr' }), {}, 'untranslatable'],
    [
      'has no place in a field that is never translated',
      translations({ never: ['title'] }),
      {},
      'untranslatable',
      'the store does not translate this field',
    ],
    [
      'has no place beside an empty text',
      translations({ texts: new Map() }),
      {},
      'untranslatable',
      'the store holds no text there that it could translate',
    ],
    [
      'has no place in a language that nobody asked for',
      new Map(),
      {},
      'untranslatable',
      'the store’s translations are not known',
    ],
  ])('%s', (_rule, found, context, ...[verdict, reason]) => {
    const decision = decide(french(), live(), { translations: found, ...context });
    expect(decision.verdict).toBe(verdict);
    if (reason !== undefined) expect(decision.reason).toBe(reason);
  });

  it('that the merchant wrote in its language, and that was pushed, was not generated', () => {
    const pushedValues = { 'fr:name': valueHash('Gourde') };
    expect(decide(french(), live(), { translations: translations(), pushedValues })).toMatchObject({
      verdict: 'not_generated',
    });
    expect(
      decide(french(), live(), {
        translations: translations(),
        pushedValues: { 'de:name': valueHash('Gourde') },
      }),
    ).toMatchObject({ verdict: 'write' });
  });

  it('that is withheld is not written, and says why', () => {
    const decision = decide(french({ withheld: 'the same text' }), live(), { translations: translations() });
    expect(decision).toMatchObject({ verdict: 'not_generated', reason: 'the same text' });
  });

  it('of a text that comes to be by the same write-back is written with it', () => {
    const own = french({
      target: 'seo.title',
      value: 'Steel bottle',
      raw: 'Steel bottle',
      from: 'sections.seo',
    });
    const other = french({ target: 'fr:seo.title', value: 'Gourde en acier', raw: 'Gourde en acier' });
    const product = translated(live({ 'seo.title': null }), translations({ texts: new Map() }), [
      'seo.title',
    ]);
    expect(decideFields([own, other], product, writeBackContext())).toMatchObject([
      { verdict: 'write' },
      { verdict: 'write' },
    ]);
  });

  it('of a text that the merchant keeps is held back with it', () => {
    const own = french({ target: 'title', value: 'Steel bottle', raw: 'Steel bottle' });
    const product = translated(live({ title: 'Edited' }), translations(), ['title']);
    const [, decision] = decideFields([own, french()], product, writeBackContext());
    expect(decision).toMatchObject({ verdict: 'conflict', reason: expect.stringContaining('not written') });
  });
});

describe('a translated description', () => {
  const MEDIA = '<img src="https://cdn.example.com/a.jpg"><table><tr><td>5 W</td></tr></table>';
  const PRIMARY = `<p>Lamp</p>${MEDIA}`;
  const keep = ['img', 'iframe', 'video', 'table'] as const;
  const texts = (value: string | null) =>
    new Map([['fr', { problem: null, texts: new Map([['descriptionHtml', { value }]]), never: [] }]]);
  const lampe = french({
    ...{ target: 'fr:descriptionHtml', from: 'html_description' },
    ...{ value: '<p>Lampe</p>', raw: '<p>Lampe</p>' },
  });
  const product = live({ descriptionHtml: PRIMARY });

  it('keeps what the shop’s own description shows, where the language has none', () => {
    const decision = decide(lampe, product, { translations: texts(null), keep });
    expect(decision).toMatchObject({
      verdict: 'write',
      value: `<p>Lampe</p>\n${MEDIA.replace('<table', '\n<table')}`,
    });
    // Also where the shop's own description has been generated since.
    const written = { descriptionHtml: afterWrite(undefined, '<p>New lamp</p>', PRIMARY) };
    const later = decide(lampe, live({ descriptionHtml: '<p>New lamp</p>' }), {
      ...{ translations: texts(null), keep, written },
    });
    expect(later.value).toBe(decision.value);
  });

  it('keeps what the merchant’s own translation shows, and not that of the other language', () => {
    const own = '<p>Mienne</p><video src="https://media.example.com/fr.mp4"></video>';
    const written = { 'fr:descriptionHtml': afterWrite(undefined, '<p>Ancienne</p>', own) };
    const decision = decide(lampe, product, { translations: texts('<p>Ancienne</p>'), keep, written });
    expect(decision).toMatchObject({
      verdict: 'write',
      value: '<p>Lampe</p>\n<video src="https://media.example.com/fr.mp4"></video>',
    });
  });

  it('says what it removes', () => {
    expect(decide(lampe, product, { translations: texts(null) }).reason).toBe(
      'generated; it removes 1 image and 1 table of the merchant',
    );
  });

  it('has pictures from the same hosts only', () => {
    const raw =
      '<p>Lampe</p><img src="https://cdn.example.com/b.jpg"><img src="https://tracker.example/c.jpg">';
    const decision = decide(french({ ...lampe, raw, value: raw }), product, { translations: texts(null) });
    expect(decision.value).toBe('<p>Lampe</p><img src="https://cdn.example.com/b.jpg" />');
    expect(decision.reason).toContain('left out: picture https://tracker.example/c.jpg');
  });
});

describe('a text that a failed write left', () => {
  const sent = { title: { value: 'Ours', before: 'Source' } };

  it('is ours, in place of the merchant’s text that it replaced', () => {
    const written = withLandedWrites({}, [sent], () => 'Ours');
    expect(written['title']).toEqual({ ours: valueHash('Ours'), past: [], replaced: 'Source' });
  });

  it('is ours in place of an earlier text of ours, and then the merchant’s own stays behind both', () => {
    const before = { title: afterWrite(undefined, 'First', 'Source') };
    const written = withLandedWrites(before, [{ title: { value: 'Ours', before: 'First' } }], () => 'Ours');
    expect(written['title']).toEqual({
      ours: valueHash('Ours'),
      past: [valueHash('First')],
      replaced: 'Source',
    });
  });

  it('changes nothing where it is known as ours already', () => {
    const before = { title: afterWrite(undefined, 'Ours', 'Source') };
    expect(withLandedWrites(before, [sent], () => 'Ours')).toBe(before);
  });

  it.each([['Source'], ['Edited'], [null]])('is nothing where the store says %s', (current) => {
    const before = {};
    expect(withLandedWrites(before, [sent], () => current)).toBe(before);
  });
});
