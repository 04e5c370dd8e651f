import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { World } from '../../support/e2e-world.js';
import { runCommand, type CommandEnd } from '../../support/run-command.js';

let world: World;

/** Three texts wait for review: one that nobody objects to, one whose title the merchant edited since, and one that a gate holds back. */
beforeAll(async () => {
  const writeBack = { mode: 'review', gates: { forbid: ['(?i)gated'] } };
  world = await World.open({ settings: { stores: { main: { writeBack } } } });
  for (const name of ['clean', 'edited', 'gated'])
    world.store.products.create({ title: `A ${name} chair`, handle: name, vendor: 'Sit' });
  await world.whileUp(async () => {
    await world.runToEnd();
  });
  world.store.products.merchantEdit(world.store.products.byHandle('edited')?.id ?? 0, { title: 'Mine' });
});
afterAll(() => world.end());

const titleOf = (name: string): string => world.store.products.byHandle(name)?.title ?? '';
const approve = (options: Record<string, unknown>): Promise<CommandEnd> =>
  runCommand(world, 'write-backs', ['approve'], { all: true, store: 'main', yes: true, ...options });

it('an approval of all leaves edits and gated texts, counts them, and ends with 3', async () => {
  const before = titleOf('gated');
  const { status, stdout } = await approve({});
  expect(stdout).toContain('1 approved, 1 left: edited by the merchant, 1 left: held back by a gate');
  expect(status).toBe(3);
  expect([titleOf('edited'), titleOf('gated')]).toEqual(['Mine', before]);
  expect(titleOf('clean')).not.toBe('A clean chair');
});

it('an approval of all does otherwise when it is told to, and ends with 0', async () => {
  const before = titleOf('gated');
  const { status, stdout } = await approve({ overwriteEdits: true, passGates: true });
  expect({ status, stdout }).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('2 approved'),
  });
  expect(titleOf('edited')).not.toBe('Mine');
  expect(titleOf('gated')).not.toBe(before);
});
