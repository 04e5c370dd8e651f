import { describe, expect, it } from '@jest/globals';
import NativeEnvironment from '../support/jest-native/environment.mjs';

/** Runs `change` as a test file would, between the start and the end of an environment. */
async function inTestFile(change: () => void): Promise<void> {
  const projectConfig = { fakeTimers: {} };
  const environment = new NativeEnvironment({ globalConfig: {}, projectConfig });
  await environment.setup();
  change();
  await environment.teardown();
}

describe('a test file whose worker runs further ones', () => {
  it('leaves the environment variables as they were', async () => {
    process.env['KEPT_BY_THE_TEST'] = 'before';
    await inTestFile(() => {
      process.env['KEPT_BY_THE_TEST'] = 'changed';
      process.env['ADDED_BY_THE_TEST'] = 'added';
    });
    expect(process.env).toMatchObject({ KEPT_BY_THE_TEST: 'before' });
    expect(process.env).not.toHaveProperty('ADDED_BY_THE_TEST');
  });

  it('leaves no listener on the process', async () => {
    const before = process.listenerCount('SIGTERM');
    await inTestFile(() => process.on('SIGTERM', () => undefined));
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });

  it('leaves the console and the timers as they were', async () => {
    const { console, setTimeout } = globalThis;
    await inTestFile(() => {
      globalThis.console = { ...console };
    });
    expect(globalThis).toMatchObject({ console, setTimeout });
  });
});
