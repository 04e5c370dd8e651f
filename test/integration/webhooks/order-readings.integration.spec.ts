import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CatalogReadings } from '../../../src/sandbox/catalog/readings.js';
import { snapshot } from '../../support/fake-store.js';
import { receive, writeAll } from '../../support/results.js';
import { SandboxCatalog } from '../../support/sandbox-stages.js';
import { Stages, STORE } from '../../support/stages.js';
import { until } from '../../support/until.js';

const stages = await Stages.open();
let catalog: SandboxCatalog;
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1), snapshot(2), snapshot(3));
});
afterEach(async () => catalog.close());

const READINGS: readonly [string, Partial<CatalogReadings>, { webhook: boolean }][] = [
  ['a task id for the request', {}, { webhook: true }],
  ['no task ids', { tasks: 'unnamed' }, { webhook: true }],
  ['tasks that cannot be read', { tasks: 'forbidden' }, { webhook: true }],
  ['polling alone', {}, { webhook: false }],
];

describe.each(READINGS)('at a service with %s', (_name, readings, { webhook }) => {
  beforeEach(async () => {
    catalog = await SandboxCatalog.open(stages, readings, { pageSize: 2 });
    if (webhook) await catalog.receiveDeliveries();
    await stages.sync();
    await brought('', 1);
  });

  const title = (): string => stages.store.at('1').title;
  const html = (): string => stages.store.at('1').descriptionHtml ?? '';
  const writeBacks = () => stages.writeBacks.forProduct(snapshot(1).externalId);

  /** Takes all that comes, in the order of its ways, until the store has the text. */
  async function brought(text: string, count: number): Promise<void> {
    const { poller, interpreter } = stages;
    await until(
      `“${text}” in the store`,
      async () => {
        for (const body of catalog.takeDeliveries()) await interpreter.interpret(await receive(stages, body));
        await stages.db.affected(`UPDATE generation_task SET next_poll_at = now() WHERE state = 'requested'`);
        for (const id of await poller.pollDue(stages.workspace, 100)) await interpreter.interpret(id);
        for (const id of await poller.sweepResults(stages.workspace)) await interpreter.interpret(id);
        await writeAll(stages);
        stages.clock.advance(61_000);
        return (await writeBacks()).length >= count && html().includes(text) ? true : null;
      },
      15_000,
    );
  }

  async function edited(fields: { name?: string; html_description?: string }): Promise<void> {
    await catalog.client.updateProduct((await stages.link(1)).catalogId ?? '', fields);
  }

  it('an editor’s corrections, and a text that comes back, each reach the store once', async () => {
    for (const [index, text] of ['Corrected once', 'Corrected twice', 'Corrected once'].entries()) {
      await edited({ html_description: `<p>${text}</p>` });
      await brought(text, index + 2);
      expect(await writeBacks()).toHaveLength(index + 2);
    }
    expect((await writeBacks()).map(({ state }) => state)).not.toContain('ready');
  });

  it('a generation that was started there reaches the store, once, though the service does not notify twice', async () => {
    const first = title();
    // The service's own user interface: the text is edited, and then content is generated from it.
    await edited({ name: 'Lounge chair', html_description: '<p>A chair to rest in.</p>' });
    const { catalogId, externalId } = await stages.link(1);
    await catalog.client.generate([{ id: Number(catalogId), externalId }]);
    await brought('Lounge chair', 2);
    expect(title()).toContain('Lounge chair');
    expect(title()).not.toBe(first);
    const settled = await writeBacks();
    await brought('', 2);
    expect(await writeBacks()).toEqual(settled);
    expect((await stages.tasks.countByState(STORE))['requested']).toBeUndefined();
  });
});
