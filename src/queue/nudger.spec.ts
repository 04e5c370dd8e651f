import { describe, expect, it } from '@jest/globals';
import type { Queue } from 'bullmq';
import { Nudger } from './nudger.js';
import { QUEUE_NAMES, QUEUES, type QueueName } from './queue-names.js';
import { rowIdOf } from './row-job.js';

type Bulk = Parameters<Queue['addBulk']>[0];

/** The part of a queue that a nudger uses; `take` gets what one call brings. */
function queueThat(take: (jobs: Bulk) => Promise<unknown>): Queue {
  const add = (name: string, data: unknown, opts: Bulk[number]['opts']): Promise<unknown> =>
    take([{ name, data, opts }]);
  const queue = { add, addBulk: take, on: () => queue, close: () => Promise.resolve() };
  return queue as unknown as Queue;
}

function nudgerOf(queue: Queue, timeoutMs = 50): { nudger: Nudger; lines: string[] } {
  const lines: string[] = [];
  const queues = new Map<QueueName, Queue>([['runs', queue]]);
  return { nudger: new Nudger({ queues, log: (line) => lines.push(line), timeoutMs }), lines };
}

describe('a nudge', () => {
  it('carries the id and nothing else, and no job id of ours', async () => {
    const added: Bulk[] = [];
    const { nudger } = nudgerOf(queueThat((jobs) => Promise.resolve(added.push(jobs))));
    await nudger.nudge('runs', 'r1', { delayMs: 20 });
    expect(added).toEqual([[{ name: 'work run', data: { id: 'r1' }, opts: { delay: 20 } }]]);
  });

  it('that the queue refuses is counted and logged, and throws nothing', async () => {
    const { nudger, lines } = nudgerOf(queueThat(() => Promise.reject(new Error('refused'))));
    expect(await nudger.nudge('runs', 'r1')).toBe(false);
    expect(await nudger.nudge('runs', 'r2')).toBe(false);
    expect(nudger.failures.get('runs')).toBe(2);
    expect(lines).toEqual(['nudge of runs: refused']);
  });

  it('that the queue does not answer is given up in time', async () => {
    const { nudger } = nudgerOf(queueThat(async () => await new Promise(() => undefined)));
    expect(await nudger.nudge('runs', 'r1')).toBe(false);
    expect(nudger.failures.get('runs')).toBe(1);
  });

  it('does not pile up on a queue that is away', async () => {
    let calls = 0;
    const { nudger } = nudgerOf(
      queueThat(async () => {
        calls += 1;
        return await new Promise(() => undefined);
      }),
      1,
    );
    for (let index = 0; index < 80; index += 1) await nudger.nudge('runs', `r${index}`);
    expect(calls).toBe(50);
    expect(nudger.failures.get('runs')).toBe(80);
  });

  it('to a queue that does not exist fails like any other', async () => {
    const { nudger } = nudgerOf(queueThat(() => Promise.resolve()));
    expect(await nudger.nudge('reconcile', 't1')).toBe(false);
  });
});

describe('many nudges', () => {
  it('go in batches, and those after a failure are not tried', async () => {
    const sizes: number[] = [];
    const { nudger } = nudgerOf(
      queueThat((jobs) => {
        sizes.push(jobs.length);
        return sizes.length === 2 ? Promise.reject(new Error('gone')) : Promise.resolve();
      }),
    );
    const ids = Array.from({ length: 1_200 }, (_, index) => String(index));
    expect(await nudger.nudgeMany('runs', ids)).toBe(500);
    expect(sizes).toEqual([500, 500]);
    expect(nudger.failures.get('runs')).toBe(700);
  });

  it('go one by one while they are few', async () => {
    const sizes: number[] = [];
    const { nudger } = nudgerOf(queueThat((jobs) => Promise.resolve(sizes.push(jobs.length))));
    expect(await nudger.nudgeMany('runs', ['a', 'b', 'c'])).toBe(3);
    expect(sizes).toEqual([1, 1, 1]);
  });

  it('of nothing need no queue', async () => {
    const { nudger } = nudgerOf(queueThat(() => Promise.reject(new Error('asked'))));
    expect(await nudger.nudgeMany('runs', [])).toBe(0);
    expect(nudger.failures.size).toBe(0);
  });
});

describe('a job', () => {
  it.each([null, {}, { id: '' }, { id: 1 }, { id: 'a', more: true }, 'a'])(
    'with the data %j is refused as invalid',
    (data) => {
      expect(() => rowIdOf({ data })).toThrow(expect.objectContaining({ code: 'invalid' }));
    },
  );

  it('names its row', () => {
    expect(rowIdOf({ data: { id: 'row-1' } })).toBe('row-1');
  });
});

describe('the queues', () => {
  it('are all named, with what bullmq allows', () => {
    expect([...QUEUE_NAMES].sort()).toEqual(Object.keys(QUEUES).sort());
    for (const name of QUEUE_NAMES) expect(name).toMatch(/^[a-z-]+$/);
  });
});
