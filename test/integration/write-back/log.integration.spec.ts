import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../../src/observability/logging/index.js';
import { refusal } from '../../support/fake-catalog.js';
import { snapshot } from '../../support/fake-store.js';
import { deliver, resultOf } from '../../support/results.js';
import { PERSON, Stages } from '../../support/stages.js';

const CANARY = 'CANARY-TEXT';
const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.settings = { store: { writeBack: { locales: ['fr'] } }, workspace: {} };
  stages.store.put(snapshot(1, { title: `${CANARY} source`, descriptionHtml: `<p>${CANARY}</p>` }));
});

/** The lines as they would stand in the log at its most talkative, with their level. */
function lines(): Record<string, unknown>[] {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  const logger = createLogger({ level: 'info', pretty: false, secrets: [], destination });
  for (const { level, fields, message } of stages.lines) logger[level](fields, message);
  return written.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const said = (message: string) => lines().filter(({ msg }) => msg === message);
const generated = async (name = `${CANARY} generated`) =>
  deliver(stages, await resultOf(stages, 1, { name, html: `<p>${CANARY} ${name}</p>` }));

describe('the log of a flow', () => {
  it('names run, product, delivery and write-back on every line about one, and holds no product’s text', async () => {
    stages.catalog.translated.set('fr', { name: `${CANARY} en français` });
    const run = await stages.sync();
    const { delivery, writeBackId } = await generated();
    await stages.writer.write(writeBackId!);
    await stages.reverter.revert(writeBackId!, PERSON);
    const { externalId } = snapshot(1);
    expect(said('run started')).toMatchObject([
      { level: 'info', runId: run.id, store: 'main', kind: 'full' },
    ]);
    expect(said('run ended')).toMatchObject([{ runId: run.id, state: 'succeeded', counts: { created: 1 } }]);
    expect(said('delivery settled')).toMatchObject([
      { level: 'info', deliveryId: delivery.id, externalId, state: 'processed', code: 'intended' },
    ]);
    expect(said('write-back applied')).toMatchObject([
      {
        ...{ level: 'info', writeBackId, externalId, deliveryId: delivery.id, code: 'written' },
        fields: { title: 'written', 'fr:title': 'written' },
      },
    ]);
    expect(said('write-back reverted')).toMatchObject([{ writeBackId, externalId }]);
    expect(JSON.stringify(lines())).not.toContain(CANARY);
  });

  it('logs what was parked, failed or left to the merchant, with the reason as a code', async () => {
    await stages.sync();
    const { writeBackId } = await generated();
    stages.store.edit('1', { title: `${CANARY} mine`, descriptionHtml: `<p>${CANARY} mine</p>` });
    await stages.writer.write(writeBackId!);
    expect(said('write-back conflicted')).toMatchObject([{ writeBackId, code: 'merchant_edit' }]);
    const { delivery } = await deliver(stages, Buffer.from(`{"action": "${CANARY}`));
    expect(said('delivery parked')).toMatchObject([
      { level: 'warn', deliveryId: delivery.id, state: 'parked', code: 'unreadable' },
    ]);
    expect(JSON.stringify(lines())).not.toContain(CANARY);
  });

  it('logs a write that the store refuses or does not answer, without the store’s text', async () => {
    await stages.sync();
    const { writeBackId } = await generated();
    stages.store.script.before('readLive', refusal('transient'));
    await stages.writer.write(writeBackId!);
    expect(said('write-back postponed')).toMatchObject([{ level: 'warn', writeBackId, code: 'transient' }]);
    stages.store.script.before('writeFields', refusal('invalid', { fields: { title: [CANARY] } }), 3);
    await stages.db.affected('UPDATE write_back SET next_attempt_at = now()');
    await stages.writer.write(writeBackId!);
    expect(said('write-back failed')).toMatchObject([{ level: 'warn', writeBackId, code: 'refused' }]);
    expect(JSON.stringify(lines())).not.toContain(CANARY);
  });

  it('names the products that a run failed on', async () => {
    stages.catalog.script.before('upsertProduct', refusal('invalid', { fields: { name: [CANARY] } }));
    const run = await stages.sync();
    expect(said('action failed')).toMatchObject([
      { level: 'info', runId: run.id, externalId: snapshot(1).externalId, code: 'invalid' },
    ]);
    expect(said('run ended')).toMatchObject([{ state: 'partial', code: 'invalid' }]);
    expect(JSON.stringify(lines())).not.toContain(CANARY);
  });
});
