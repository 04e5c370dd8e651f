import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SilentSides } from '../operations/outages.js';
import type { PresentedRun } from '../operations/present-run.js';
import { ANSWERS } from '../runtime/answers.js';
import { addressOf, Connections } from '../connections/connections.js';

const LOOK_EVERY_MS = 500;

/** Tells the person at the terminal that a side does not answer, and that it answers again. */
@Injectable()
export class SilenceLines implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #told = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly connections: Connections,
    private readonly silent: SilentSides,
  ) {}

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => {
      this.#look();
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** A side that answered since the last look is named before the command ends. */
  onModuleDestroy(): void {
    clearInterval(this.#timer);
    this.#look();
  }

  #look(): void {
    for (const { key, settings } of this.connections.workspaces)
      this.#tell(nameOf('catalog', key, this.connections.workspaces), ANSWERS.silentSince(settings.baseUrl));
    for (const store of this.connections.stores)
      this.#tell(nameOf('store', store.key, this.connections.stores), ANSWERS.silentSince(addressOf(store)));
  }

  /** What the process that works on the run has recorded. */
  async tellOf({ store: key }: Pick<PresentedRun, 'store'>): Promise<void> {
    const { workspaces, stores } = this.connections;
    const store = this.connections.findStore(key);
    if (store === undefined) return;
    const { catalog, shop } = await this.silent.of(store);
    this.#tell(nameOf('catalog', store.workspace.key, workspaces), catalog);
    this.#tell(nameOf('store', key, stores), shop);
  }

  #tell(name: string, since: Date | null | undefined): void {
    if (since instanceof Date) {
      if (this.#told.has(name)) return;
      this.#told.add(name);
      process.stderr.write(
        `${name} has not answered since ${since.toTimeString().slice(0, 8)}; trying again. Nothing is lost\n`,
      );
    } else if (since === null && this.#told.delete(name)) process.stderr.write(`${name} answers again\n`);
  }
}

/** The only one needs no name. */
function nameOf(what: string, key: string, { length }: readonly unknown[]): string {
  return length === 1 ? `the ${what}` : `the ${what} ${what === 'catalog' ? 'of workspace ' : ''}${key}`;
}
