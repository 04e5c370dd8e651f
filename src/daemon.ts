import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger as NestLogger } from 'nestjs-pino';
import { AppModule, type ProcessSettings } from './app.module.js';
import { daemonParts } from './roles.js';
import { CodedError, errorLine } from './domain/errors.js';
import { openFileLimit } from './runtime/open-files.js';
import { waitForDatabase } from './persistence/data-source.js';
import { ConfigReload } from './operations/config-reload.js';
import { serveApi } from './api/serve-api.js';
import { BoundedExpressAdapter, connectionsWithin } from './api/http-server.js';

/** Open connections of each port. At the limit, the one that waits longest for its client makes room. */
const MOST_CONNECTIONS = 2_000;

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export interface RunningDaemon {
  /** Where the HTTP side really listens. */
  readonly address: ListenAddress;
  /** The address of dashboard, API, metrics and documentation; null when they share the one above. */
  readonly adminAddress: ListenAddress | null;
  /** A part of the running application. */
  get<T>(token: abstract new (...args: never[]) => T): T;
  /** Reads the configuration files again. Throws `misconfigured`, and changes nothing, when they are refused. */
  reload(): void;
  /** Stops intake, hands long work on, drains the rest, closes. */
  stop(): Promise<void>;
}

/** The time limit for a restarting database. A missing one is reported within ten seconds. */
const DATABASE_WAIT_MS = 3_000;

/** How often a closing server looks for idle connections. */
const CLOSE_UNUSED_MS = 50;

/**
 * Starts the daemon: everything is ready, listening included, when this resolves. Throws coded errors for what keeps it
 * from starting.
 */
export async function startDaemon(settings: ProcessSettings): Promise<RunningDaemon> {
  await waitForDatabase(settings.databaseUrl, DATABASE_WAIT_MS);
  const { host, port, admin, roles } = settings.config.server;
  const connections = connectionsWithin(MOST_CONNECTIONS, openFileLimit(), admin.port === 0 ? 1 : 2);
  if (connections.reduced)
    settings.logger.warn(connections, 'the limit of open files allows few connections');
  const adapter = new BoundedExpressAdapter(connections.limit);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.of(daemonParts(settings)), adapter, {
    // Deliveries are taken as raw bytes of any type: no parser runs before their routes
    // (docs/decisions/0008-a-4xx-is-final.md).
    bodyParser: false,
    // The caller reports a failed start. The framework would also print its stack, which may quote a password.
    logger: false,
    abortOnError: false,
  });
  try {
    app.useLogger(frameworkLog(app.get(NestLogger)));
    app.disable('x-powered-by');
    app.set('trust proxy', settings.config.server.trustedProxies);
    app.use(adapter.onlyWhenOpen, adapter.separatePorts, adapter.webhooks);
    if (roles.includes('admin')) serveApi(app);
    // Schedules and workers start in `init`: a process that cannot have its port must not work. The admin port is first, so that
    // the public one never answers for the dashboard.
    if (admin.port !== 0)
      await listening(
        'server.admin.port',
        { host, port: admin.port },
        adapter.listenForAdmin(admin.port, host),
      );
    await listening('server.port', { host, port }, adapter.listenEarly(port, host));
    await app.init();
    adapter.open();
    const address = app.getHttpServer().address();
    return {
      address: { host, port: typeof address === 'object' && address !== null ? address.port : port },
      adminAddress: admin.port === 0 ? null : { host, port: admin.port },
      get: <T>(token: abstract new (...args: never[]) => T): T => app.get<T>(token),
      reload: () => void app.get(ConfigReload).reload(),
      stop: () => closed(app, adapter),
    };
  } catch (error) {
    await closed(app, adapter);
    throw error;
  }
}

/** Closes the application. Idle connections end at once, so that they do not delay it. */
async function closed(app: NestExpressApplication, adapter: BoundedExpressAdapter): Promise<void> {
  const looking = setInterval(() => {
    adapter.closeUnused();
  }, CLOSE_UNUSED_MS);
  try {
    await app.close();
  } finally {
    clearInterval(looking);
  }
}

/** Names the setting when its address cannot be used. */
async function listening(
  setting: string,
  { host, port }: ListenAddress,
  opened: Promise<unknown>,
): Promise<void> {
  try {
    await opened;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    const reason =
      code === 'EADDRINUSE'
        ? `another program uses it; set ${setting === 'server.port' ? 'PORT' : setting} to a free port`
        : errorLine(error);
    const message = `${setting}: cannot listen on ${host}:${String(port)}: ${reason}`;
    throw new CodedError('misconfigured', message, { cause: error });
  }
}

/** The framework logs a line for each module and route at its start, which is only useful for debugging. */
function frameworkLog(logger: NestLogger): LoggerService {
  return {
    log: (...line: [unknown, ...unknown[]]) => {
      logger.debug(...line);
    },
    warn: (...line: [unknown, ...unknown[]]) => {
      logger.warn(...line);
    },
    error: (...line: [unknown, ...unknown[]]) => {
      logger.error(...line);
    },
    fatal: (...line: [unknown, ...unknown[]]) => {
      logger.fatal(...line);
    },
  };
}
