import { describe, expect, it } from '@jest/globals';
import { printGaps, runBenches, type Bench } from '../bench/run-benches.js';
import type { Figure } from '../bench/table.js';

const figure = (row: string): Figure => ({
  ...{ row, work: `work ${row}`, figure: 1, unit: 's', floor: null, floorIs: '', goal: '', reached: true },
});
const measures = (...rows: string[]): Bench => ({
  run: async (_share, _log, take) => {
    for (const row of rows) take(figure(row));
  },
});
const silent = { share: 1, log: (): void => undefined };

describe('npm run bench', () => {
  it('skips a bench that cannot run here, with the reason, and measures the others', async () => {
    const benches: Record<string, Bench> = {
      one: measures('1'),
      two: {
        missing: () => 'redis-server is not installed',
        run: async () => {
          throw new Error('must not run');
        },
      },
      three: measures('3'),
    };
    const report = await runBenches(benches, ['one', 'two', 'three'], silent);
    expect(report).toMatchObject({
      figures: [{ row: '1' }, { row: '3' }],
      skipped: [{ bench: 'two', reason: 'redis-server is not installed' }],
      failed: [],
    });
    expect(printGaps(report)).toEqual(['skipped: two (redis-server is not installed)']);
  });

  it('keeps the figures of the others when a bench fails, and what the failed one had measured', async () => {
    const benches: Record<string, Bench> = {
      one: {
        run: async (_share, _log, take) => {
          take(figure('2'));
          throw new Error('the daemon ended\nwith a second line');
        },
      },
      two: measures('1'),
    };
    const report = await runBenches(benches, ['one', 'two'], silent);
    expect(report).toMatchObject({
      figures: [{ row: '1' }, { row: '2' }],
      failed: [{ bench: 'one', error: 'the daemon ended' }],
    });
    expect(printGaps(report)).toEqual(['FAILED: one (the daemon ended)']);
  });

  it('runs the benches after one that waits at the same time, and reports its failure too', async () => {
    const done = Promise.withResolvers<undefined>();
    const benches: Record<string, Bench> = {
      slow: {
        waits: true,
        run: async () => {
          await done.promise;
          throw new Error('late');
        },
      },
      other: {
        run: async (_share, _log, take) => {
          take(figure('1'));
          done.resolve(undefined);
        },
      },
    };
    expect(await runBenches(benches, ['slow', 'other'], silent)).toMatchObject({
      figures: [{ row: '1' }],
      failed: [{ bench: 'slow', error: 'late' }],
    });
  });

  it('refuses an unknown name before anything runs', async () => {
    let ran = false;
    const benches: Record<string, Bench> = {
      one: {
        run: async () => {
          ran = true;
        },
      },
    };
    await expect(runBenches(benches, ['one', 'two'], silent)).rejects.toThrow(
      'there is no bench "two": choose from one',
    );
    expect(ran).toBe(false);
  });
});
