import 'reflect-metadata';
import type { INestApplicationContext, Type } from '@nestjs/common';
import type { CommandChange } from '../operations/audit.js';
import { nearestName, type AppConfig } from '../config/index.js';
import { CodedError } from '../domain/errors.js';
import { STORE_OPTION, type CommonOptions, type OptionDeclaration } from './options.js';
import { reportError } from './report.js';

/**
 * The common part of all commands: one readable line on stderr for an error (the stack only with LOG_LEVEL=debug), and
 * the exit status. The status is set and the exit not forced, so that open resources are closed.
 */
export abstract class StoreSyncCommand<Options extends CommonOptions = CommonOptions> {
  /** Syntax of each argument and its description. */
  readonly args: Readonly<Record<string, string>> = {};
  /** Every command also has `--config`. */
  readonly options: readonly OptionDeclaration[] = [];

  #change: CommandChange | null = null;

  async run(args: string[], given: Options): Promise<void> {
    try {
      const options = this.needsStore(given, args) ? await withOnlyStore(given) : given;
      this.#change = this.change(options, args);
      process.exitCode = await this.execute(options, args);
    } catch (error) {
      process.exitCode = 1;
      reportError(error);
    }
  }

  /** Whether the command is about one store, which `--store` names where there are several. */
  protected needsStore(_options: Options, _args: readonly string[]): boolean {
    return this.options.includes(STORE_OPTION);
  }

  /** The change that the command makes, for the audit record; null when it only reads. */
  protected change(_options: Options, _args: readonly string[]): CommandChange | null {
    return null;
  }

  /** Throws for options that the configuration rules out, before anything is opened. */
  protected checkOptions(config: AppConfig, { store }: Options & { readonly store?: string }): void {
    if (store === undefined || Object.hasOwn(config.stores, store)) return;
    // A merchant may have installed it, which only the database knows.
    if (config.storeTemplate !== undefined) return;
    throw new CodedError('not_found', unknownStore(store, Object.keys(config.stores)));
  }

  /** Does the command's work and returns its exit status. */
  protected abstract execute(options: Options, args: readonly string[]): Promise<number>;

  /**
   * Makes the application's container, without HTTP and workers, for the length of one command, and hands `work` the injected service.
   * A service that only one command has may be a class of that command. Commands themselves get nothing injected: they check their
   * options before a connection is opened.
   */
  protected withService<Service, T>(
    options: Options,
    service: Type<Service>,
    work: (service: Service) => Promise<T>,
  ): Promise<T> {
    const change = this.#change;
    return this.#inContainer(options, service, async (app) => {
      const own = app.get(service);
      if (change === null) return work(own);
      const { AuditOperations, entryOfCommand } = await import('../operations/audit.js');
      return app.get(AuditOperations).change(entryOfCommand(change), () => work(own), isFailure);
    });
  }

  async #inContainer<T>(
    options: Options,
    service: Type,
    work: (app: INestApplicationContext) => Promise<T>,
  ): Promise<T> {
    // Loaded on demand: an invalid argument is reported without it.
    const { openRuntime, readConfig } = await import('./runtime.js');
    const loaded = readConfig(options.config);
    this.checkOptions(loaded.config, options);
    // Loads the modules while the embedded database starts.
    const [runtime, { AppModule }, { NestFactory }] = await Promise.all([
      openRuntime(loaded, 'stderr'),
      import('../app.module.js'),
      import('@nestjs/core'),
    ]);
    try {
      const app = await NestFactory.createApplicationContext(
        AppModule.command(runtime, service, this.#change !== null),
        {
          logger: false,
          abortOnError: false,
        },
      );
      try {
        return await work(app);
      } finally {
        await app.close();
      }
    } catch (error) {
      const { secretValues } = await import('../config/index.js');
      throw await withoutSecrets(error, secretValues(runtime.config));
    } finally {
      await runtime.release();
    }
  }
}

const NO_STORE =
  'no store is configured: create a configuration with store-sync init, or name it with --config';

function unknownStore(store: string, known: readonly string[]): string {
  if (known.length === 0) return NO_STORE;
  const nearest = nearestName(store, known);
  const hint = nearest === null ? '' : `; did you mean ${nearest}?`;
  return `no store "${store}" is configured${hint} (configured: ${known.join(', ')})`;
}

/** The options with the key of the configuration's only store, where none is named. Throws `invalid` when there are more, or none. */
async function withOnlyStore<Options extends CommonOptions & { readonly store?: string }>(
  options: Options,
): Promise<Options> {
  if (options.store !== undefined) return options;
  const { readConfig } = await import('./runtime.js');
  const stores = Object.keys(readConfig(options.config).config.stores);
  const [store] = stores;
  if (store === undefined) throw new CodedError('invalid', NO_STORE);
  if (stores.length > 1)
    throw new CodedError('invalid', `--store is missing: name one of ${stores.join(', ')}`);
  return { ...options, store };
}

/** Commands end with 1 when they could not do what they were asked. */
function isFailure(status: unknown): boolean {
  return status === 1;
}

/** The last guard: no secret of the configuration reaches the terminal, whatever an error's message quotes. */
async function withoutSecrets(error: unknown, secrets: readonly string[]): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  const { redactSecrets } = await import('../observability/logging/index.js');
  error.message = redactSecrets(error.message, secrets);
  if (error.stack !== undefined) error.stack = redactSecrets(error.stack, secrets);
  return error;
}

/** Aborted by the first SIGINT or SIGTERM, so that a run can be handed over instead of being cut off. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort(new Error('interrupted'));
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  return controller.signal;
}
