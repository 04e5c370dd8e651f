import { beforeEach, describe, expect, it } from '@jest/globals';
import { snapshot } from '../../support/fake-store.js';
import { deliverResult, type ResultOptions } from '../../support/results.js';
import { PERSON, Stages } from '../../support/stages.js';
import { sqlRows } from '../../support/sql.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1));
  await stages.sync();
  stages.store.script.forget();
});

const generated = (options?: ResultOptions) => deliverResult(stages, options);

/** The lease expires while the worker is paused, and another worker takes the product. */
const takeOver = async (): Promise<void> => {
  await stages.db.affected(
    `UPDATE store_product SET write_lease = 'another', write_lease_until = now() + interval '1 minute'`,
  );
};
const letGo = async (): Promise<void> => {
  await stages.db.affected('UPDATE store_product SET write_lease = NULL, write_lease_until = NULL');
};
const messages = (): string[] => stages.lines.map(({ message }) => message);

describe('a writer that lost its product', () => {
  it('right before the write does not send it, and leaves the row to the worker that has it', async () => {
    const id = await generated();
    stages.store.script.before('writeFields', takeOver);
    expect(await stages.writer.write(id)).toBeNull();
    expect(stages.store.at('1').title).toBe('Product 1');
    expect(await stages.writeBacks.get(id)).toMatchObject({ state: 'ready', fields: [] });
    expect(messages()).toContain('write-back stopped: another worker has the product');
    // No fault: the demo prints warnings alone.
    expect(stages.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
    await letGo();
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
  });

  it('between two writes does not send the second', async () => {
    stages.settings = { store: { writeBack: { sections: { namespace: 'catalog' } } }, workspace: {} };
    const id = await generated({ sections: [{ code: 'material', value: 'Leather' }] });
    stages.store.script.after('writeFields', takeOver);
    expect(await stages.writer.write(id)).toBeNull();
    expect(stages.store.at('1').title).toBe('Generated 1');
    expect(stages.store.metafield('1', 'material')).toBeUndefined();
    await letGo();
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
    expect(stages.store.script.count('writeFields')).toBe(1);
    expect((await stages.writeBacks.get(id))?.fields).toMatchObject([
      { target: 'title', outcome: 'written', before: 'Product 1' },
      { target: 'descriptionHtml', outcome: 'written' },
      { target: 'metafield:catalog.material', outcome: 'written' },
    ]);
  });

  it('after the write journals nothing and logs no end: the next worker does both', async () => {
    const id = await generated();
    stages.store.script.after('writeFields', takeOver);
    expect(await stages.writer.write(id)).toBeNull();
    expect(await stages.writeBacks.get(id)).toMatchObject({ state: 'ready' });
    expect((await stages.link(1)).written).toBeNull();
    expect(messages()).not.toContain('write-back applied');
    await letGo();
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
    expect(stages.store.script.count('writeFields')).toBe(1);
    expect(messages().filter((message) => message === 'write-back applied')).toHaveLength(1);
  });

  it('keeps it when its lease ran out and nobody took it', async () => {
    const id = await generated();
    stages.store.script.before('writeFields', () =>
      stages.db.affected(`UPDATE store_product SET write_lease_until = now() - interval '1 minute'`),
    );
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
  });
});

describe('a write that the store made wait', () => {
  /** The merchant edits the title while the store's rate limit holds the write back. */
  const editMeanwhile = (): void => {
    stages.store.edit('1', { title: 'Mine' });
    stages.clock.advance(31_000);
  };

  it('is not sent: the product is read again, and the edit stays', async () => {
    const id = await generated();
    stages.store.script.before('writeFields', editMeanwhile);
    expect(await stages.writer.write(id)).toMatchObject({ state: 'postponed' });
    expect(stages.store.at('1').title).toBe('Mine');
    expect(await stages.writeBacks.get(id)).toMatchObject({ state: 'ready', attempts: 1 });
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied', conflicts: 1 });
    expect(stages.store.at('1')).toMatchObject({ title: 'Mine', descriptionHtml: '<p>Generated 1</p>' });
  });

  it('is not sent by a revert either, which can be asked for again', async () => {
    const id = await generated();
    await stages.writer.write(id);
    stages.store.script.before('writeFields', editMeanwhile);
    await expect(stages.reverter.revert(id, PERSON)).rejects.toMatchObject({ code: 'throttled' });
    await stages.reverter.revert(id, PERSON);
    expect(stages.store.at('1')).toMatchObject({ title: 'Mine', descriptionHtml: '<p>Source 1</p>' });
  });
});

describe('a write-back that somebody else ended', () => {
  it('is not logged as applied by the worker that came second', async () => {
    const id = await generated();
    stages.store.script.after('writeFields', () =>
      stages.db.affected(`UPDATE write_back SET state = 'failed', settled_at = now()`),
    );
    expect(await stages.writer.write(id)).toBeNull();
    expect(messages()).not.toContain('write-back applied');
  });
});

describe('a revert', () => {
  const applied = async (): Promise<string> => {
    const id = await generated();
    await stages.writer.write(id);
    stages.store.script.forget();
    return id;
  };

  it('that lost the product sends nothing and is refused', async () => {
    const id = await applied();
    stages.store.script.before('writeFields', takeOver);
    await expect(stages.reverter.revert(id, PERSON)).rejects.toMatchObject({ code: 'conflict' });
    expect(stages.store.at('1').title).toBe('Generated 1');
    expect(await stages.writeBacks.get(id)).toMatchObject({ state: 'applied' });
  });

  it('that lost the product after its write is not journalled by it; the next one journals it', async () => {
    const id = await applied();
    stages.store.script.after('writeFields', takeOver);
    await expect(stages.reverter.revert(id, PERSON)).rejects.toMatchObject({ code: 'conflict' });
    await letGo();
    await stages.reverter.revert(id, PERSON);
    expect(stages.store.at('1').title).toBe('Product 1');
    expect(await stages.writeBacks.get(id)).toMatchObject({ state: 'reverted' });
    expect(stages.store.script.count('writeFields')).toBe(1);
  });

  it('renews its lease while it works', async () => {
    const id = await applied();
    stages.store.script.before('writeFields', () =>
      stages.db.affected(`UPDATE store_product SET write_lease_until = now() - interval '1 minute'`),
    );
    const leases: { held: boolean }[] = [];
    stages.store.script.after('writeFields', async () => {
      leases.push(
        ...(await sqlRows<{ held: boolean }>(
          stages.db,
          'SELECT write_lease_until > now() AS held FROM store_product',
        )),
      );
    });
    await stages.reverter.revert(id, PERSON);
    expect(leases).toEqual([{ held: true }]);
  });
});
