import { expect, it } from '@jest/globals';
import { GaugeRepository } from '../../../src/persistence/gauge.repository.js';
import { NotificationRepository } from '../../../src/persistence/notification.repository.js';
import { StatusRepository } from '../../../src/persistence/status.repository.js';
import { ListeningDatabase } from '../../support/listening-database.js';
import { Stages, STORE, WORKSPACE } from '../../support/stages.js';

const stages = await Stages.open();

it('each read of every few seconds uses an index, however large the history has grown', async () => {
  const db = new ListeningDatabase(stages.db.dataSource);
  const gauges = new GaugeRepository(db);
  await gauges.backlog();
  await gauges.workspaces([WORKSPACE]);
  await gauges.stores([STORE]);
  await new StatusRepository(db).held([STORE]);
  const notifications = new NotificationRepository(db);
  await notifications.look({ stores: [STORE], workspaces: [WORKSPACE] }, () => []);
  expect(db.reads.length).toBe(7);
  const scans = (await db.plans()).flatMap(({ sql, lines }) =>
    lines.filter((line) => line.includes('Seq Scan')).map((line) => `${line.trim()} ← ${sql.slice(0, 60)}`),
  );
  expect(scans).toEqual([]);
});
