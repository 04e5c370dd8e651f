import { ModernFakeTimers } from '@jest/fake-timers';
import { TestEnvironment as NodeEnvironment } from 'jest-environment-node';
import { ModuleMocker } from 'jest-mock';
import { endWhatIsLeftOpen } from '../left-open.mjs';
import { runsNatively } from './runs-natively.mjs';

/**
 * A Jest environment without a context of its own: tests use the globals of the worker. At the end of a test file, the environment
 * ends what the file left open, and restores the globals that tests change.
 */
class NativeEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  #before = {
    console: globalThis.console,
    exit: process.exit,
    env: { ...process.env },
    directory: process.cwd(),
    listeners: new Map(process.eventNames().map((name) => [name, process.rawListeners(name)])),
  };

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    await endWhatIsLeftOpen();
    await forgetRequestLogger();
    const { console, exit, env, directory, listeners } = this.#before;
    globalThis.console = console;
    process.exit = exit;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    if (process.cwd() !== directory) process.chdir(directory);
    for (const name of process.eventNames())
      for (const listener of process.rawListeners(name))
        if (!(listeners.get(name) ?? []).includes(listener)) process.removeListener(name, listener);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}

/** nestjs-pino has one request logger for a process, and writes with the first one. Its own tests use this function, too. */
async function forgetRequestLogger() {
  const module = new URL('PinoLogger.js', import.meta.resolve('nestjs-pino'));
  const { __resetOutOfContextForTests: reset } = await import(module.href);
  reset();
}

export default class Chosen {
  constructor(config, context) {
    return runsNatively(config.globalConfig)
      ? new NativeEnvironment(config)
      : new NodeEnvironment(config, context);
  }
}
export { Chosen as 'module.exports' };
