import { beforeEach, expect, it } from '@jest/globals';
import { ReportRepository } from '../../../src/persistence/report.repository.js';
import { Stages } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(() => stages.reset());

it('a report whose process died has failed, for whoever looks at the newest one', async () => {
  const reports = new ReportRepository(stages.db);
  const id = await reports.begin('check', '', 'admin');
  expect(await reports.newest('check', '')).toMatchObject({ id, state: 'running' });
  await stages.db.affected(`UPDATE report SET seen_at = now() - interval '2 minutes'`);
  expect(await reports.newest('check', '')).toMatchObject({ id, state: 'failed' });
});
