import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fingerprint } from './fingerprint.js';
import {
  afterRevert,
  afterUnknownWrite,
  afterWrite,
  effectiveValue,
  isOurs,
  valueHash,
  type WrittenField,
} from './written-content.js';

const [first, second] = [fingerprint('generated 1'), fingerprint('generated 2')];
const firstWrite: WrittenField = { ours: first, past: [], replaced: 'merchant' };
const secondWrite: WrittenField = { ours: second, past: [first], replaced: 'merchant' };
const overEdit: WrittenField = { ours: second, past: [first], replaced: 'edited' };
const overNothing: WrittenField = { ours: first, past: [], replaced: null };
const reverted: WrittenField = { ours: null, past: [first], replaced: 'merchant' };

describe('effectiveValue', () => {
  it.each<[string, string | null, WrittenField | undefined, string | null]>([
    ['of a field that was never written is the live value', 'merchant', undefined, 'merchant'],
    ['of an empty field that was never written is nothing', null, undefined, null],
    ['of our text is what it replaced', 'generated 1', firstWrite, 'merchant'],
    ['of our text where there was none is nothing', 'generated 1', overNothing, null],
    ['of an earlier text of ours (a late read) is what it replaced', 'generated 1', secondWrite, 'merchant'],
    ['of our later text is the merchant’s, not our earlier one', 'generated 2', secondWrite, 'merchant'],
    ['of a merchant’s edit over ours is that edit', 'edited', firstWrite, 'edited'],
    ['of ours over a merchant’s edit is that edit', 'generated 2', overEdit, 'edited'],
    ['of a late read from before the edit is the edit', 'generated 1', overEdit, 'edited'],
    ['of the merchant’s text after a revert is that text', 'merchant', reverted, 'merchant'],
    ['of a late read after a revert is the merchant’s text', 'generated 1', reverted, 'merchant'],
    ['of a new text after a revert is that text', 'new', reverted, 'new'],
    ['of our text that the merchant cleared is nothing', null, firstWrite, null],
    ['of our text that the merchant blanked stays blank', '', firstWrite, ''],
  ])('%s', (_rule, live, written, effective) => {
    expect(effectiveValue(live, written)).toBe(effective);
  });
});

describe('valueHash', () => {
  it('treats null, undefined and the empty string as the same', () => {
    expect(valueHash('')).toBe(valueHash(null));
    expect(valueHash(undefined)).toBe(valueHash(null));
  });

  it.each(['null', '0', ' ', 'undefined'])('treats the text %j as a text', (text) => {
    expect(valueHash(text)).not.toBe(valueHash(null));
  });

  it('distinguishes texts by every character', () => {
    expect(valueHash('a')).not.toBe(valueHash('A'));
    expect(valueHash('a')).not.toBe(valueHash('a '));
  });
});

describe('afterWrite', () => {
  it('remembers what the store returned, and what that replaced', () => {
    expect(afterWrite(undefined, 'generated 1', 'merchant')).toEqual(firstWrite);
    expect(afterWrite(undefined, 'generated 1', null)).toEqual(overNothing);
  });

  it('over our own text keeps what that one had replaced', () => {
    expect(afterWrite(firstWrite, 'generated 2', 'merchant')).toEqual(secondWrite);
    expect(afterWrite(firstWrite, 'generated 2', 'edited')).toEqual(overEdit);
  });

  it('keeps no more than the last sixteen texts before the present one, however many were written', () => {
    const texts = Array.from({ length: 500 }, (_, index) => `generated ${String(index)}`);
    const end = texts.reduce<WrittenField | undefined>(
      (field, text) => afterWrite(field, text, 'merchant'),
      undefined,
    );
    expect(end).toEqual({
      ours: valueHash('generated 499'),
      past: texts.slice(-17, -1).map((text) => valueHash(text)),
      replaced: 'merchant',
    });
  });

  const numbers = Array.from({ length: 15 }, (_, index) => String(index));
  it.each<[string, readonly string[], readonly string[]]>([
    [
      'forgets the text first that was written longest ago, though it was the first of all',
      ['first', ...numbers, 'first', 'a', 'b'],
      [...numbers.slice(1), 'first', 'a'],
    ],
    ['keeps the texts of ours before as past', ['1', '2', '3'], ['1', '2']],
    ['never lists the present text as past, also when an old one comes again', ['1', '2', '1'], ['2']],
    ['lists a text once, however often it is written', ['a', 'b', 'a', 'b', 'a'], ['b']],
  ])('%s', (_what, texts, past) => {
    const end = texts.reduce<WrittenField | undefined>(
      (field, text) => afterWrite(field, text, 'merchant'),
      undefined,
    );
    const ours = valueHash(texts.at(-1));
    expect(end).toEqual({ ours, past: past.map((text) => valueHash(text)), replaced: 'merchant' });
  });

  it('over a reverted field keeps the reverted text as past', () => {
    expect(afterWrite(reverted, 'generated 2', 'merchant')).toEqual({
      ours: valueHash('generated 2'),
      past: [valueHash('generated 1')],
      replaced: 'merchant',
    });
  });
});

describe('afterRevert', () => {
  it('leaves nothing of ours in place, and forgets no text of ours', () => {
    expect(afterRevert(secondWrite, 'merchant')).toEqual({
      ours: null,
      past: [valueHash('generated 1'), valueHash('generated 2')],
      replaced: 'merchant',
    });
  });

  it('makes an earlier text of ours, which is in the store again, ours again', () => {
    expect(afterRevert(secondWrite, 'generated 1')).toEqual({
      ours: valueHash('generated 1'),
      past: [valueHash('generated 2')],
      replaced: 'merchant',
    });
  });

  it('leaves our text ours where the revert restores that very text', () => {
    expect(afterRevert(secondWrite, 'generated 2')).toEqual(secondWrite);
  });

  it('changes nothing the second time', () => {
    expect(afterRevert(reverted, 'merchant')).toEqual(reverted);
  });

  it('lists a text once that was ours before and is ours again', () => {
    const field: WrittenField = { ours: 'a', past: ['b', 'a'], replaced: null };
    expect(afterRevert(field, null).past).toEqual(['b', 'a']);
  });
});

describe('isOurs', () => {
  it('is said of present and past texts of ours, and of no other', () => {
    expect(isOurs('generated 2', secondWrite)).toBe(true);
    expect(isOurs('generated 1', secondWrite)).toBe(true);
    expect(isOurs('merchant', secondWrite)).toBe(false);
    expect(isOurs(null, reverted)).toBe(false);
  });
});

/** A field as the store and the journal have it, and the text that the merchant means. */
class Field {
  live: string | null = 'merchant 0';
  written: WrittenField | undefined;
  readonly generated = new Set<string>();
  readonly history: (string | null)[] = [];
  readonly #journal: { before: string | null; after: string }[] = [];
  /** The merchant's text that each of our writes replaced. The last one is the meaning of our text now. */
  #meant: string | null = this.live;
  #count = 0;

  generate(): void {
    const text = `generated ${String((this.#count += 1))}`;
    this.generated.add(text);
    this.#journal.push({ before: this.live, after: text });
    this.written = afterWrite(this.written, text, effectiveValue(this.live, this.written));
    this.#show(text);
  }

  edit(text: string | null): void {
    this.#meant = text;
    this.#show(text);
  }

  revert(): void {
    const last = this.#journal.at(-1);
    if (this.written === undefined || last?.after !== this.live) return;
    this.#journal.pop();
    this.written = afterRevert(this.written, last.before);
    this.#show(last.before);
  }

  #show(text: string | null): void {
    this.history.push(this.live);
    this.live = text;
  }

  proveInvariants(lateRead: number): void {
    expect(effectiveValue(this.live, this.written)).toBe(this.#meant);
    const late = this.history[lateRead % Math.max(this.history.length, 1)] ?? null;
    const read = effectiveValue(late, this.written);
    expect(this.generated.has(read ?? '')).toBe(false);
    if (late !== null && !this.generated.has(late)) expect(read).toBe(late);
  }
}

describe('over any sequence of generations, merchant edits, late reads and reverts', () => {
  it('no generated text becomes effective source, and no merchant text is lost', () => {
    const step = fc.oneof(
      fc.constant({ do: 'generate' as const }),
      fc.constant({ do: 'revert' as const }),
      fc.record({
        do: fc.constant('edit' as const),
        text: fc.option(fc.nat(5).map((n) => `merchant ${String(n)}`)),
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat()), { maxLength: 30 }), (steps) => {
        const field = new Field();
        for (const [each, lateRead] of steps) {
          if (each.do === 'edit') field.edit(each.text);
          else if (each.do === 'generate') field.generate();
          else field.revert();
          field.proveInvariants(lateRead);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('after a write whose outcome is not known', () => {
  it('the text sent may be ours, and what stood there stays what it stood for', () => {
    expect(afterUnknownWrite(undefined, 'sent', 'before')).toEqual({
      ours: null,
      past: [valueHash('sent')],
      replaced: 'before',
    });
    const known = { ours: valueHash('ours'), past: [valueHash('older')], replaced: 'the merchant’s' };
    expect(afterUnknownWrite(known, 'sent', 'ours')).toEqual({
      ...known,
      past: [valueHash('older'), valueHash('sent')],
    });
  });

  it('nothing moves when it was ours already, and no text is kept twice', () => {
    const known = { ours: valueHash('ours'), past: [valueHash('older')], replaced: null };
    expect(afterUnknownWrite(known, 'ours', null)).toBe(known);
    expect(afterUnknownWrite(known, 'older', null)).toEqual(known);
  });
});
