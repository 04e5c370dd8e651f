import { hostname, userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { single } from '../../support/e2e-products.js';
import { World } from '../../support/e2e-world.js';
import { runLine } from '../../support/run-command.js';

/** Each command that changes something, and what its record says. */
const CHANGES: readonly (readonly [string, readonly string[], object])[] = [
  [
    'sync',
    ['sync', '--store', 'main', '--full'],
    { what: 'sync', targets: ['main'], details: { full: true, force: false }, outcome: 'done' },
  ],
  [
    'plan --save',
    ['plan', '--store', 'main', '--save'],
    { what: 'plan save', targets: ['main'], details: { full: false }, outcome: 'done' },
  ],
  ['apply', ['apply', 'none'], { what: 'plan apply', targets: ['none'], outcome: 'failed' }],
  [
    'generate',
    ['generate', '--store', 'main', 'nothing', '--force'],
    { what: 'generate', targets: ['main', 'nothing'], details: { force: true } },
  ],
  ['retry', ['retry', '--store', 'main'], { what: 'store retry', targets: ['main'], outcome: 'done' }],
  [
    'deliveries replay',
    ['deliveries', 'replay', 'none'],
    { what: 'delivery replay', targets: ['none'], outcome: 'failed' },
  ],
  [
    'write-backs approve',
    ['write-backs', 'approve', 'one', 'two'],
    { what: 'write-back approve', targets: ['one', 'two'], outcome: 'failed' },
  ],
  ['write-backs reject', ['write-backs', 'reject', 'one'], { what: 'write-back reject', targets: ['one'] }],
  ['write-backs revert', ['write-backs', 'revert', 'one'], { what: 'write-back revert', targets: ['one'] }],
  ['runs cancel', ['runs', 'cancel', 'none'], { what: 'sync cancel', targets: ['none'], outcome: 'failed' }],
  [
    'webhook register',
    ['webhook', 'register', '--force'],
    { what: 'webhook register', details: { force: true }, outcome: 'done' },
  ],
  [
    'webhook remove',
    ['webhook', 'remove', '--workspace', 'default'],
    { what: 'webhook remove', targets: ['default'], outcome: 'done' },
  ],
];

const recordSchema = z.object({ items: z.array(z.looseObject({ what: z.string(), at: z.iso.datetime() })) });

let world: World;
let record: z.output<typeof recordSchema>['items'];
let began: number;

beforeAll(async () => {
  world = await World.open({ settings: { workspaces: { default: { generation: { mode: 'off' } } } } });
  single(world.store, 'mug');
  began = Date.now();
  for (const [, args] of CHANGES) await runLine(world, args);
  for (const args of [['status'], ['plan', '--store', 'main'], ['write-backs'], ['webhook'], ['check']])
    await runLine(world, args);
  record = recordSchema.parse(JSON.parse((await runLine(world, ['audit', '--json'])).stdout)).items;
});
afterAll(() => world.end());

describe('the audit record', () => {
  it.each(CHANGES)('has a row of %s with actor, address, time and targets', (_name, _args, expected) => {
    const rows = record.filter(({ what }) => what === (expected as { what: string }).what);
    expect(rows).toEqual([
      expect.objectContaining({
        ...{ actor: userInfo().username, role: null, via: 'command', address: hostname() },
        ...expected,
      }),
    ]);
    const at = Date.parse(rows[0]?.at ?? '');
    expect(at).toBeGreaterThanOrEqual(began - 60_000);
    expect(at).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it('has none of commands that only read', () => {
    expect(record).toHaveLength(CHANGES.length);
  });
});
