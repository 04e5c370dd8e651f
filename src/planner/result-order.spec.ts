import { describe, expect, it } from '@jest/globals';
import { orderOf, settledOrder, type TakenResult } from './result-order.js';

const at = (minutes: number): Date => new Date(Date.UTC(2026, 10, 20, 3, minutes));

/** Times in minutes. */
function result(
  contentFingerprint: string,
  received: number,
  { asked, dated }: { asked?: number; dated?: number } = {},
): TakenResult {
  return {
    contentFingerprint,
    receivedAt: at(received),
    askedAt: asked === undefined ? null : at(asked),
    datedAt: dated === undefined ? null : at(dated),
  };
}

describe('the order of a result and the newest one', () => {
  it('of a first result is newer', () => {
    expect(orderOf(result('a', 0), null)).toBe('newer');
  });

  const asked = result('a', 10, { asked: 0 });
  const dated = result('a', 10, { dated: 0 });

  it.each([
    ['requested later', result('b', 30, { asked: 20 }), asked, 'newer'],
    ['requested later, with the same content', result('a', 30, { asked: 20 }), asked, 'newer'],
    ['of the same request', result('a', 11, { asked: 0 }), asked, 'same'],
    ['of the same request, with other content', result('b', 11, { asked: 0 }), asked, 'unsure'],
    ['requested before the newest came in', result('b', 11, { asked: 5 }), result('a', 10), 'unsure'],
    ['dated later by the same clock', result('b', 30, { dated: 20 }), dated, 'newer'],
    ['dated earlier by the same clock', result('b', 30, { dated: -1 }), dated, 'unsure'],
    ['dated well after the newest came in', result('b', 30, { dated: 16 }), asked, 'newer'],
    ['dated shortly after it', result('b', 30, { dated: 12 }), asked, 'unsure'],
    ['dated shortly after it, with the same content', result('a', 30, { dated: 12 }), asked, 'same'],
    ['without a date', result('b', 30), result('a', 10), 'unsure'],
    ['without the translations of the newest', result('a', 30), result('a+fr', 10), 'same'],
    ['with more translations than the newest', result('a+fr', 30), result('a', 10), 'unsure'],
  ])('when it is %s', (_when, arrived, newest, order) => {
    expect(orderOf(arrived, newest)).toBe(order);
  });

  it.each([
    ['the catalog holds it', result('b', 30, { dated: -60 }), 'b', 'newer'],
    ['the catalog holds the newest', result('b', 30, { dated: 12 }), 'a', 'older'],
    ['the catalog holds it, translations apart', result('b+fr', 30), 'b', 'newer'],
    ['it is dated long before', result('b', 30, { dated: -10 }), 'c', 'older'],
    ['it is dated two minutes before by another clock', result('b', 30, { dated: -2 }), 'c', 'newer'],
    ['it has no date and came in later', result('b', 30), null, 'newer'],
    ['it has no date and came in earlier', result('b', 9), null, 'older'],
  ])('that dates do not tell, when %s', (_when, arrived, live, order) => {
    expect(settledOrder(arrived, asked, live)).toBe(order);
  });
});
