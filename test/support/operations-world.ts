import { openRuntimeFor, type Runtime } from '../../src/cli/runtime.js';
import { loadConfig } from '../../src/config/index.js';
import { startDaemon, type RunningDaemon } from '../../src/daemon.js';
import { createLogger } from '../../src/observability/logging/index.js';
import { World, type WorldOptions } from './e2e-world.js';

/** A world whose daemon runs in the test's own process, from the sources. */
export class OperationsWorld {
  private running: RunningDaemon | null = null;

  private constructor(readonly world: World) {}

  static async open(options: WorldOptions = {}): Promise<OperationsWorld> {
    return new OperationsWorld(await World.open(options));
  }

  /** Starts the daemon with the configuration as it is now; `end` stops it. */
  async start(): Promise<RunningDaemon> {
    const { world } = this;
    const env = world.env;
    const { config, warnings } = loadConfig({ configFile: world.configFile, env, cwd: world.directory });
    const runtime: Runtime = await openRuntimeFor(config, warnings, 'stderr');
    // Refused requests are what many tests are about.
    const quiet = { level: 'error', pretty: false, secrets: [], destination: 'stderr' } as const;
    this.running = await startDaemon({ ...runtime, logger: createLogger(quiet) });
    return this.running;
  }

  async stop(): Promise<void> {
    const daemon = this.running;
    this.running = null;
    await daemon?.stop();
  }

  /** The daemon for as long as the work takes, and until all that it led to is settled. */
  async whileUp(work: () => Promise<void>): Promise<void> {
    await this.start();
    try {
      await work();
      await this.world.settled();
    } finally {
      await this.stop();
    }
  }

  async end(): Promise<void> {
    await this.stop();
    await this.world.end();
  }
}
