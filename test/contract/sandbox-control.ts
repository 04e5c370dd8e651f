import {
  startCatalogSandbox,
  type CatalogSandboxOptions,
  type RunningCatalogSandbox,
} from '../../src/sandbox/catalog/index.js';
import { createSandboxPlace, type SandboxPlace } from '../support/postgres.js';
import { Api } from './api.js';

export const LOGIN = { email: 'merchant@example.com', password: 'correct horse battery staple' };

export class TestClock {
  private offsetMs = 0;

  readonly now = (): Date => new Date(Date.now() + this.offsetMs);

  advance(ms: number): void {
    this.offsetMs += ms;
  }
}

/** A sandbox of the tests' own, its clock and its tables. */
export class SandboxControl {
  private constructor(
    readonly clock: TestClock,
    readonly place: SandboxPlace,
    private readonly options: Omit<CatalogSandboxOptions, 'databaseUrl'>,
    public sandbox: RunningCatalogSandbox,
    readonly token: string,
  ) {}

  static async start(options: Omit<CatalogSandboxOptions, 'databaseUrl'> = {}): Promise<SandboxControl> {
    const clock = new TestClock();
    const place = await createSandboxPlace();
    const all = { clock: clock.now, generationDelayMs: 10, backgroundDelayMs: 10, pollMs: 25, ...options };
    const sandbox = await startCatalogSandbox({ ...place, ...all });
    await sandbox.createUser(LOGIN.email, LOGIN.password);
    const { token } = await sandbox.issueApiToken('contract suite');
    return new SandboxControl(clock, place, all, sandbox, token);
  }

  get api(): Api {
    return new Api(this.sandbox.baseUrl, this.token);
  }

  async restart(changes: Partial<CatalogSandboxOptions> = {}): Promise<void> {
    await this.sandbox.stop();
    this.sandbox = await startCatalogSandbox({ ...this.place, ...this.options, ...changes });
  }

  async stop(): Promise<void> {
    await this.sandbox.stop();
  }
}
