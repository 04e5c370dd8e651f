import { describe, expect, it } from '@jest/globals';
import type { Queue } from 'bullmq';
import { loggerTo } from '../../test/support/logs.js';
import { JobProducer } from './job-producer.js';
import { QUEUE_NAMES, type QueueName } from './queue-names.js';
import { rowIdOf } from './row-job.js';

type Bulk = Parameters<Queue['addBulk']>[0];

/** The part of a queue that the producer uses. `take` receives the jobs of one call. */
function queueThat(take: (jobs: Bulk) => Promise<unknown>): Queue {
  const add = (name: string, data: unknown, opts: Bulk[number]['opts']): Promise<unknown> =>
    take([{ name, data, opts }]);
  const queue = { add, addBulk: take, on: () => queue, close: () => Promise.resolve() };
  return queue as unknown as Queue;
}

function producerOf(queue: Queue, timeoutMs = 50): { jobs: JobProducer; lines: string[] } {
  const lines: string[] = [];
  const queues = new Map<QueueName, Queue>([['runs', queue]]);
  const logger = loggerTo(({ message }) => lines.push(message));
  return { jobs: new JobProducer(queues, { enqueueTimeoutMs: timeoutMs }, logger), lines };
}

describe('a job', () => {
  it('carries the id and nothing else, and no job id of ours', async () => {
    const added: Bulk[] = [];
    const { jobs } = producerOf(queueThat((jobs) => Promise.resolve(added.push(jobs))));
    await jobs.enqueue('runs', 'r1', { delayMs: 20 });
    expect(added).toEqual([[{ name: 'work run', data: { id: 'r1' }, opts: { delay: 20 } }]]);
  });

  it('that the queue refuses is counted and logged, and throws nothing', async () => {
    const { jobs, lines } = producerOf(queueThat(() => Promise.reject(new Error('refused'))));
    expect(await jobs.enqueue('runs', 'r1')).toBe(false);
    expect(await jobs.enqueue('runs', 'r2')).toBe(false);
    expect(jobs.failures.get('runs')).toBe(2);
    expect(lines).toEqual(['job for runs: refused']);
  });

  it('that the queue does not answer is given up in time', async () => {
    const { jobs } = producerOf(queueThat(async () => await new Promise(() => undefined)));
    expect(await jobs.enqueue('runs', 'r1')).toBe(false);
    expect(jobs.failures.get('runs')).toBe(1);
  });

  it('for new rows go out one at a time, and are left to the sweep while many wait', async () => {
    const added: Bulk[] = [];
    const taken = Promise.withResolvers<undefined>();
    const { jobs } = producerOf(queueThat((jobs) => (added.push(jobs), taken.promise)));
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    for (let index = 0; index < 100; index += 1) jobs.wake('runs', `r${index}`);
    await turn();
    expect(added).toHaveLength(1);
    taken.resolve(undefined);
    await turn();
    jobs.wake('runs', 'later');
    await turn();
    // One under way, and sixteen that wait.
    const first = Array.from({ length: 17 }, (_, index) => `r${index}`);
    expect(added.flat().map(({ data }) => rowIdOf({ data }))).toEqual([...first, 'later']);
    expect(jobs.failures.size).toBe(0);
  });

  it('for a new row that waits for its call is left to the sweep when the application ends', async () => {
    const added: Bulk[] = [];
    const taken = Promise.withResolvers<undefined>();
    const { jobs } = producerOf(queueThat((jobs) => (added.push(jobs), taken.promise)));
    jobs.wake('runs', 'r0');
    jobs.wake('runs', 'r1');
    await new Promise((resolve) => setImmediate(resolve));
    await jobs.close();
    taken.resolve(undefined);
    await new Promise((resolve) => setImmediate(resolve));
    expect(added.flat().map(({ data }) => rowIdOf({ data }))).toEqual(['r0']);
    expect(jobs.failures.size).toBe(0);
  });

  it('does not pile up on a queue that is away', async () => {
    let calls = 0;
    const { jobs } = producerOf(
      queueThat(async () => {
        calls += 1;
        return await new Promise(() => undefined);
      }),
      1,
    );
    for (let index = 0; index < 80; index += 1) await jobs.enqueue('runs', `r${index}`);
    expect(calls).toBe(50);
    expect(jobs.failures.get('runs')).toBe(80);
  });

  it('to a queue that does not exist fails like any other', async () => {
    const { jobs } = producerOf(queueThat(() => Promise.resolve()));
    expect(await jobs.enqueue('reconcile', 't1')).toBe(false);
  });
});

describe('many jobs', () => {
  it('go in batches, and those after a failure are not tried', async () => {
    const sizes: number[] = [];
    const { jobs } = producerOf(
      queueThat((jobs) => {
        sizes.push(jobs.length);
        return sizes.length === 2 ? Promise.reject(new Error('gone')) : Promise.resolve();
      }),
    );
    const ids = Array.from({ length: 1_200 }, (_, index) => String(index));
    expect(await jobs.enqueueMany('runs', ids)).toBe(500);
    expect(sizes).toEqual([500, 500]);
    expect(jobs.failures.get('runs')).toBe(700);
  });

  it('go one by one while they are few', async () => {
    const sizes: number[] = [];
    const { jobs } = producerOf(queueThat((jobs) => Promise.resolve(sizes.push(jobs.length))));
    expect(await jobs.enqueueMany('runs', ['a', 'b', 'c'])).toBe(3);
    expect(sizes).toEqual([1, 1, 1]);
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

it('the queues have names that bullmq allows', () => {
  for (const name of QUEUE_NAMES) expect(name).toMatch(/^[a-z-]+$/);
});
