import { describe, expect, it } from '@jest/globals';
import { Schedulers } from '../../support/schedulers.js';
import { Stages } from '../../support/stages.js';
import { until } from '../../support/until.js';

const stages = await Stages.open();
const schedulers = new Schedulers(stages);

describe('a scheduler that stops during a sweep', () => {
  it('warns of no step that the stop interrupts, and begins no further one', async () => {
    const queue = Promise.withResolvers<number>();
    const asked = Promise.withResolvers<undefined>();
    let questions = 0;
    const waiting = (): Promise<number> => {
      questions += 1;
      asked.resolve(undefined);
      return queue.promise;
    };
    schedulers.scheduler(new Date('2026-11-19T02:00:00Z'), { pressure: { waiting } }).start();
    await asked.promise;
    schedulers.stop();
    const before = questions;
    queue.reject(new Error('the connection was closed'));
    await until('the step ends', () =>
      schedulers.logged.some((line) => line.includes('did not end before the stop')),
    );
    expect(schedulers.warned).toEqual([]);
    expect(questions).toBe(before);
  });
});
