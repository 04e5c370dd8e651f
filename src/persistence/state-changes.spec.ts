import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  ACTION_TRANSITIONS,
  BULK_CHANGE_TRANSITIONS,
  DELIVERY_TRANSITIONS,
  RUN_TRANSITIONS,
  TASK_TRANSITIONS,
  WRITE_BACK_TRANSITIONS,
} from '../domain/row-states.js';

const MACHINES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  sync_run: RUN_TRANSITIONS,
  sync_action: ACTION_TRANSITIONS,
  generation_task: TASK_TRANSITIONS,
  webhook_delivery: DELIVERY_TRANSITIONS,
  write_back: WRITE_BACK_TRANSITIONS,
  bulk_change: BULK_CHANGE_TRANSITIONS,
};

interface StateChange {
  readonly where: string;
  readonly table: string;
  /** States that it sets; empty where a parameter decides. */
  readonly to: readonly string[];
  /** States that it starts from; empty where a parameter decides. */
  readonly from: readonly string[];
  /** The statement's parameters come from `statesBefore`. */
  readonly fromTable: boolean;
}

/** Every UPDATE of a row with a state that sets its state, in every statement of the repositories. */
const changes = readdirSync('src/persistence')
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
  .flatMap((name) => changesOf(name, readFileSync(`src/persistence/${name}`, 'utf8')));

function changesOf(name: string, source: string): StateChange[] {
  const updates = [...source.matchAll(/UPDATE (\w+)(?: AS \w+)?\s+SET (?=([^`]*)`([^`]{0,400}))/g)];
  return updates.flatMap(([, table = '', statement = '', after = '']) => {
    // A statement may contain several updates: each is judged alone.
    const own = statement.split(/\bUPDATE \w+/)[0] ?? '';
    const at = own.search(/\bWHERE\b/);
    const set = at < 0 ? own : own.slice(0, at);
    const guard = at < 0 ? '' : own.slice(at);
    const target = /(?:^|[\s,])state = ('(\w+)'|\$\d+|CASE[\s\S]*?END)/.exec(set);
    if (!(table in MACHINES) || target === null) return [];
    const literals = target[2] === undefined ? [...(target[1] ?? '').matchAll(/THEN '(\w+)'/g)] : [];
    const found = /\bstate (?:= '(\w+)'|IN \(([^)]*)\)|= ANY\()/.exec(guard);
    const from = (found?.[1] ?? found?.[2] ?? '').replaceAll(/['\s]/g, '').split(',');
    return [
      {
        where: `${name}: ${table} SET ${own.slice(0, 90).replaceAll(/\s+/g, ' ')}`,
        table,
        to: target[2] === undefined ? literals.map(([, state = '']) => state) : [target[2]],
        from: from.filter((state) => state !== ''),
        fromTable: guard.includes('state = ANY(') && /statesBefore\(|UNDECIDED/.test(after),
      },
    ];
  });
}

describe('an UPDATE that changes the state of a row', () => {
  it('is found in every repository that has one', () => {
    expect(new Set(changes.map(({ table }) => table))).toEqual(new Set(Object.keys(MACHINES)));
    expect(changes.length).toBeGreaterThanOrEqual(15);
  });

  it.each(changes.map((change) => [change.where, change] as const))(
    'names legal states: %s',
    (_where, change) => {
      const { table, to, from, fromTable } = change;
      if (fromTable) return;
      const machine = MACHINES[table] ?? {};
      expect(from).not.toEqual([]);
      expect(to).not.toEqual([]);
      for (const state of from) expect(machine[state]).toEqual(expect.arrayContaining([...to]));
    },
  );
});
