import { describe, expect, it } from '@jest/globals';
import { countRequest } from '../runtime/request-tally.js';
import { Places } from './places.js';

function opened(ofSide: number, settled = false) {
  const putOff: string[] = [];
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<boolean>>();
  const places = new Places({
    ofSide,
    putOff: (side) => {
      putOff.push(side);
      return Promise.resolve();
    },
  });
  const work = (side: string, id: string) =>
    places.work(side, id, async (row) => {
      begun.push(row);
      const end = Promise.withResolvers<boolean>();
      ends.set(row, end);
      countRequest('store', await end.promise);
      return settled ? 'settled' : 'open';
    });
  const end = async (id: string, answered: boolean) => {
    ends.get(id)?.resolve(answered);
    await new Promise(setImmediate);
  };
  return { putOff, begun, work, end };
}

describe('places of a queue', () => {
  it('are left to other sides when one has its share', async () => {
    const { begun, work } = opened(2);
    void Promise.all([work('a', 'a1'), work('a', 'a2')]);
    // The job of a row that waits has ended.
    await work('a', 'a3');
    void work('b', 'b1');
    expect(begun).toEqual(['a1', 'a2', 'b1']);
  });

  it('take the rows that waited, each once', async () => {
    const { begun, work, end } = opened(1);
    const first = work('a', 'a1');
    await Promise.all([work('a', 'a2'), work('a', 'a2'), work('a', 'a3')]);
    for (const id of ['a1', 'a2', 'a3']) await end(id, true);
    await first;
    expect(begun).toEqual(['a1', 'a2', 'a3']);
  });

  it('are one for a side that did not answer, until it does, and put its due rows off', async () => {
    const { begun, putOff, work, end } = opened(2);
    const jobs = [work('a', 'a1'), work('a', 'a2'), work('a', 'a3')];
    await end('a1', false);
    await end('a2', false);
    await Promise.all(jobs);
    expect([begun, putOff]).toEqual([
      ['a1', 'a2'],
      ['a', 'a'],
    ]);
    const again = work('a', 'a1');
    await work('a', 'a2');
    expect(begun).toEqual(['a1', 'a2', 'a1']);
    await end('a1', true);
    expect(begun).toEqual(['a1', 'a2', 'a1', 'a2']);
    void work('a', 'a3');
    expect(begun.at(-1)).toBe('a3');
    await Promise.all([end('a2', true), end('a3', true), again]);
  });

  it('stay as many where a row settles without an answer', async () => {
    const { begun, putOff, work, end } = opened(2, true);
    const jobs = [work('a', 'a1'), work('a', 'a2'), work('a', 'a3')];
    await end('a1', false);
    expect([begun, putOff]).toEqual([['a1', 'a2', 'a3'], []]);
    await Promise.all([end('a2', true), end('a3', true), ...jobs]);
  });

  it('are all there again once a row of a silent side settles by an answer', async () => {
    const places = new Places({ ofSide: 2, putOff: () => Promise.resolve() });
    await places.work('a', 'a1', () => {
      countRequest('store', false);
      return Promise.resolve('open');
    });
    await places.work('a', 'a1', async () => {
      await new Promise(setImmediate);
      countRequest('store', true);
      return 'settled';
    });
    const held = Promise.withResolvers<'settled'>();
    const begun: string[] = [];
    const works = ['a2', 'a3'].map((row) =>
      places.work('a', row, (id) => {
        begun.push(id);
        return held.promise;
      }),
    );
    expect(begun).toEqual(['a2', 'a3']);
    held.resolve('settled');
    await Promise.all(works);
  });

  it('are given back by a row that fails', async () => {
    const places = new Places({ ofSide: 1, putOff: () => Promise.resolve() });
    await expect(
      places.work('a', 'a1', () => Promise.reject(new Error('the database is away'))),
    ).rejects.toThrow();
    const worked: string[] = [];
    await places.work('a', 'a2', (id) => {
      worked.push(id);
      return Promise.resolve('open');
    });
    expect(worked).toEqual(['a2']);
  });
});
