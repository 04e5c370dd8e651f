import { openRuntime } from '../../../src/cli/runtime.js';
import { environment, loadConfig } from '../../../src/config/index.js';
import { startDaemon, type RunningDaemon } from '../../../src/daemon.js';
import { createLogger } from '../../../src/observability/logging/index.js';

/** A daemon of the sources in the test's own process: it starts in less time than the built program, and needs no build. */
export class DaemonHere {
  #stopped = false;

  private constructor(
    readonly daemon: RunningDaemon,
    private readonly release: () => Promise<void>,
  ) {}

  /** `quiet` keeps its log to errors: refused requests are the subject of many tests. */
  static async start(
    place: {
      readonly configFile: string;
      readonly directory: string;
      readonly env: Readonly<Record<string, string>>;
    },
    { quiet = true }: { readonly quiet?: boolean } = {},
  ): Promise<DaemonHere> {
    const loaded = loadConfig({
      configFile: place.configFile,
      env: { PATH: environment()['PATH'], ...place.env },
      cwd: place.directory,
      daemon: {},
    });
    const runtime = await openRuntime(loaded, 'stderr');
    const silent = { level: 'error', pretty: false, secrets: [], destination: 'stderr' } as const;
    try {
      const daemon = await startDaemon(quiet ? { ...runtime, logger: createLogger(silent) } : runtime);
      return new DaemonHere(daemon, () => runtime.release());
    } catch (error) {
      await runtime.release();
      throw error;
    }
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.daemon.address.port)}`;
  }

  /** The second call does nothing. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    await this.daemon.stop();
    await this.release();
  }
}
