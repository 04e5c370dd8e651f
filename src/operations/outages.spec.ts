import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { SYSTEM_CLOCK } from '../runtime/clock.js';
import { GroundLooks } from './outages.js';

describe('the ground of this process', () => {
  it('is well while the database answers in good time', async () => {
    const looks = new GroundLooks({ assertWritable: () => Promise.resolve() }, SYSTEM_CLOCK);
    expect(await looks.outages()).toEqual([]);
  });

  it('lags when the database takes more than a second for one look', async () => {
    const looks = new GroundLooks({ assertWritable: () => sleep(1_050) }, SYSTEM_CLOCK);
    expect(await looks.outages()).toMatchObject([{ what: 'database' }]);
  });
});
