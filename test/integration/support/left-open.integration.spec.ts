import { describe, expect, it } from '@jest/globals';
import { World } from '../../support/e2e-world.js';
import { ownPort } from '../../support/ports.js';
import NativeEnvironment from '../../support/jest-native/environment.mjs';

/** Servers of this process that listen. */
const servers = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap').length;

const refused = async (url: string): Promise<boolean> =>
  fetch(url).then(
    () => false,
    () => true,
  );

describe('a world', () => {
  it('ends what it has started when one of its stores does not start', async () => {
    await (await World.open({ catalog: false })).end(); // makes what all worlds of a run share
    const before = servers();
    // The second store finds the port of the first one taken.
    const opened = World.open({ stores: ['first', 'second'], store: { port: await ownPort() } });
    await expect(opened).rejects.toThrow('EADDRINUSE');
    expect(servers()).toBe(before);
  });

  it('that a test file leaves open, because its start failed, ends with the file', async () => {
    const environment = new NativeEnvironment({ globalConfig: {}, projectConfig: { fakeTimers: {} } });
    await environment.setup();
    const world = await World.open({ settings: { database: { url: 'postgres://nobody@127.0.0.1:9/none' } } });
    await expect(world.startHere()).rejects.toThrow('cannot be reached');
    await environment.teardown();
    expect(await refused(world.store.url)).toBe(true);
    expect(await refused(world.catalog.baseUrl)).toBe(true);
  });
});
