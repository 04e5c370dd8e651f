import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json } from '../../../src/persistence/database.js';
import { RowColumns } from '../../../src/persistence/row-columns.js';
import { Stages } from '../../support/stages.js';
import { sqlRows } from '../../support/sql.js';

let stages: Stages;
beforeAll(async () => {
  stages = await Stages.open();
});
afterAll(async () => stages.close());

const COLUMNS = new RowColumns({ id: 'bigint', someText: 'text', isSet: 'boolean', body: 'jsonb' });
interface Row {
  readonly id: string | null;
  readonly someText?: string | null;
  readonly isSet?: boolean | null;
  readonly body?: unknown;
}

/** `bytes`: the JSON of a body is given in UTF-8. */
const readBack = (rows: readonly Row[], { bytes = false } = {}) =>
  sqlRows<Row>(stages.db, `SELECT row.* FROM ${COLUMNS.from(2)} AS row WHERE $1`, [
    true,
    ...COLUMNS.values(
      rows.map(({ id, someText, isSet, body }) => ({
        id,
        someText,
        isSet,
        body: body === null || body === undefined ? body : bytes ? Buffer.from(json(body)) : json(body),
      })),
    ),
  ]);

describe('rows that the program gives to a statement', () => {
  it('arrive as they are, whatever texts they have', async () => {
    const rows: Row[] = [
      {
        id: '9007199254740993',
        someText: 'two\nlines, a "quote" and a \\',
        isSet: true,
        body: { a: [1, null, 'b\n'] },
      },
      { id: '2', someText: '', isSet: false, body: [] },
      { id: '3', someText: 'null', isSet: null, body: 'text' },
      { id: null, someText: null, isSet: null, body: null },
      { id: '5', someText: '],["\u001f\u2028\u{1f6b2}', isSet: true, body: { text: 'ä\u2028\u{1f6b2}' } },
    ];
    expect(await readBack(rows)).toEqual(rows);
    expect(await readBack(rows, { bytes: true })).toEqual(rows);
  });

  it('may be none', async () => {
    expect(await readBack([])).toEqual([]);
  });

  it('take null for what a row does not have', async () => {
    const [row] = await readBack([{ id: '1' }]);
    expect(row).toEqual({ id: '1', someText: null, isSet: null, body: null });
  });

  it.each([
    ['a null character', 'a\u0000b'],
    ['half a character', 'a\ud800b'],
  ])('are refused with %s', async (_what, text) => {
    const row = { id: '1', someText: 'text', isSet: true, body: null };
    await expect(readBack([{ ...row, someText: text }])).rejects.toMatchObject({ code: 'invalid' });
    for (const bytes of [false, true])
      await expect(readBack([{ ...row, body: { text } }], { bytes })).rejects.toMatchObject({
        code: 'invalid',
      });
  });
});
