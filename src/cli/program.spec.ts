import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { configDirectory } from '../../test/support/config/config-files.js';
import { runWith } from '../../test/support/run-command.js';
import { writeBackQuerySchema } from '../operations/write-back-filter.js';
import { DeliveriesCommand } from './deliveries.command.js';
import { buildProgram } from './program.js';

beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  jest.restoreAllMocks();
});

it('the help offers every command, in groups', async () => {
  const help = (await buildProgram('1.0.0', () => false)).helpInformation();
  const commands =
    'start demo check plan apply sync status deliveries products drift generate write-backs webhook migrate';
  for (const command of commands.split(' ')) expect(help).toMatch(new RegExp(`^ {2}${command} `, 'm'));
  const groups = [...help.matchAll(/^([A-Z][a-z ]+):$/gm)].map(([, group]) => group);
  expect(groups).toEqual(expect.arrayContaining(['Start here', 'Every day', 'Repair', 'Set up']));
});

it('the help of a command explains its actions, ids and options', async () => {
  const { commands } = await buildProgram('1.0.0', (name) => name === 'write-backs');
  const help = commands.find((command) => command.name() === 'write-backs')?.helpInformation() ?? '';
  for (const text of ['approve ID', '--state <state>', '--config <file>', '--json'])
    expect(help).toContain(text);
  const [, filters = ''] = /--filter <name=value>([^]+?)--dry-run/.exec(help) ?? [];
  const ownOptions = ['store', 'run', 'limit', 'offset', 'order', 'cursor'];
  const expected = Object.keys(writeBackQuerySchema.shape).filter((name) => !ownOptions.includes(name));
  const named = filters.replaceAll(/\s+/g, ' ').trim().split(/: |, /).slice(2);
  expect(named.toSorted()).toEqual(expected.toSorted());
});

it('a mistyped option is refused with the right one', async () => {
  const program = await buildProgram('1.0.0', (name) => name === 'drift');
  await expect(program.parseAsync(['node', 'store-sync', 'drift', '--stroe', 'x'])).rejects.toMatchObject({
    code: 'commander.unknownOption',
    message: expect.stringContaining("unknown option '--stroe'\n(Did you mean --store?)"),
  });
});

it('passes options on wherever they stand among the words', async () => {
  const program = await buildProgram('1.0.0', (name) => name === 'deliveries');
  const run = jest.spyOn(DeliveriesCommand.prototype, 'run').mockResolvedValue();
  await program.parseAsync('node store-sync deliveries --json show --config /nowhere.yaml x'.split(' '));
  expect(run).toHaveBeenCalledWith(['show', 'x'], { json: true, config: '/nowhere.yaml' });
});

describe('a command about one store, without --store', () => {
  const directory = configDirectory();
  afterAll(directory.remove);

  it('names the stores to choose from', async () => {
    const store =
      'workspace: default, shop: SHOP.myshopify.com, auth: { accessToken: shpat_0123456789abcdef }';
    const config = directory.file(
      [
        'workspaces: { default: { baseUrl: https://c.test/api/v1, auth: { apiToken: token-0123456789 } } }',
        `stores: { north: { ${store.replace('SHOP', 'north')} }, south: { ${store.replace('SHOP', 'south')} } }`,
      ].join('\n'),
      'two.yaml',
    );
    const { status, stderr } = await runWith({}, 'drift', [], { config });
    expect([status, stderr]).toEqual([1, 'store-sync: --store is missing: name one of north, south\n']);
    const bulk = await runWith({}, 'write-backs', ['approve'], { config, all: true });
    expect([bulk.status, bulk.stderr]).toEqual([status, stderr]);
  });

  it('says how to make a configuration where there is none', async () => {
    const config = directory.file('{}', 'empty.yaml');
    const { stderr } = await runWith({}, 'drift', [], { config });
    expect(stderr).toMatch(/^store-sync: no store is configured: create .* store-sync init/);
  });
});
