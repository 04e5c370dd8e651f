import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import JestRuntime from 'jest-runtime';
import { sourceMapOf } from '../typescript-loader.mjs';
import * as globalsModule from './globals.mjs';
import { runsNatively } from './runs-natively.mjs';

// Jest gives each test file a context of its own and loads every module into it again: NestJS, TypeORM and the sources, three hundred
// times in a run. This runtime loads test files by Node's loader instead, so that a worker loads each module once. A module's state is
// thus shared by the test files of a worker.

const require = createRequire(import.meta.url);
const GLOBALS_URL = new URL('globals.mjs', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    return specifier === '@jest/globals'
      ? { url: GLOBALS_URL, shortCircuit: true }
      : next(specifier, context);
  },
});

class NativeRuntime {
  #environment;

  constructor(environment) {
    this.#environment = environment;
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    return await import(pathToFileURL(path).href);
  }

  requireModule(path) {
    return require(path);
  }

  /** Jest's part that collects and runs tests. It keeps its state in module scope, thus each test file needs it new. */
  requireInternalModule(path) {
    delete require.cache[require.resolve(path)];
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    globalsModule.setGlobals({ ...globals, jest: this.#jest() });
  }

  /** The part of Jest's object that tests need. Mocks of modules do not exist: pass what a test replaces. */
  #jest() {
    const { fakeTimersModern: timers, moduleMocker } = this.#environment;
    return {
      fn: moduleMocker.fn.bind(moduleMocker),
      spyOn: moduleMocker.spyOn.bind(moduleMocker),
      restoreAllMocks: () => moduleMocker.restoreAllMocks(),
      useFakeTimers: (options) => timers.useFakeTimers(options),
      useRealTimers: () => timers.useRealTimers(),
      advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
      advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
      getTimerCount: () => timers.getTimerCount(),
    };
  }

  getSourceMaps() {
    return { get: sourceMapOf, [Symbol.iterator]: () => [].values() };
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {
    this.#environment.moduleMocker.restoreAllMocks();
  }
}

export default class Chosen {
  constructor(...args) {
    const [, environment] = args;
    const globalConfig = args.at(-1);
    return runsNatively(globalConfig) ? new NativeRuntime(environment) : new JestRuntime.default(...args);
  }
}
export { Chosen as 'module.exports' };
