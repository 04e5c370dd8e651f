import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Params } from 'nestjs-pino';
import { pino } from 'pino';
import type { DestinationStream, LevelWithSilent, Logger } from 'pino';
import { build as prettyStream } from 'pino-pretty';
import { LONGEST_LINE, shortened, withoutStatements } from './bounded-entry.js';
import { redactorOf, redactValue } from './redaction.js';
import type { Redactor } from './redaction.js';

export interface LoggerSettings {
  readonly level: LevelWithSilent;
  /** Readable lines for a terminal; otherwise one JSON line per event. */
  readonly pretty: boolean;
  /** Values that must not appear in any line. A function is asked for each line: a reload brings new secrets. */
  readonly secrets: readonly string[] | (() => readonly string[]);
  /** Commands log to stderr, because their stdout is the result. Tests pass a stream. */
  readonly destination: 'stdout' | 'stderr' | DestinationStream;
}

/** A logger without secrets in any line: messages, stacks and nested values are redacted last. */
export function createLogger(settings: LoggerSettings): Logger {
  const redact = redactorFor(settings.secrets);
  return pino(
    {
      level: settings.level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: (line) => safeLine(line, redact, settings) },
    },
    settings.pretty ? prettyDestination(settings.destination) : plainDestination(settings.destination),
  );
}

/** Masks the secrets of the moment. The redactor is made again only when the list is another one. */
function redactorFor(secrets: LoggerSettings['secrets']): Redactor {
  if (typeof secrets !== 'function') return redactorOf(secrets);
  let known = secrets();
  let redact = redactorOf(known);
  return (text) => {
    const now = secrets();
    if (now !== known) {
      known = now;
      redact = redactorOf(now);
    }
    return redact(text);
  };
}

/** Options for `LoggerModule.forRoot` of nestjs-pino: the logger above, and one line per request except probes. */
export function createLoggerOptions(logger: Logger): Params {
  return {
    pinoHttp: {
      logger,
      autoLogging: { ignore: (request) => isProbe(request.url) },
      genReqId: requestId,
      customLogLevel: (_request, response, error) => requestLevel(response.statusCode, error),
      quietReqLogger: true,
      wrapSerializers: false,
      // Queries and headers may contain credentials, and are not needed in a log.
      serializers: {
        req: describeRequest,
        res: (response: ServerResponse) => ({ statusCode: response.statusCode }),
      },
    },
    // Each delivery has lines of its own: when it is refused, and when it is settled.
    exclude: ['webhooks/*path'],
  };
}

/**
 * The line in its final form: without secrets, of bounded length, and without parameters of database statements. At
 * level debug, statements and long texts stay.
 */
function safeLine(line: string, redact: Redactor, { pretty, level }: LoggerSettings): string {
  const bounded = level !== 'debug' && level !== 'trace';
  const isShort = !bounded || line.length <= LONGEST_LINE;
  const parsed: unknown = JSON.parse(line);
  const entry = bounded ? withoutStatements(parsed) : parsed;
  const json = JSON.stringify(redactValue(isShort ? entry : shortened(entry), redact));
  return `${pretty ? withoutControlCharacters(json) : json}\n`;
}

/**
 * In JSON, control characters are escaped. The pretty printer would decode them, and a product's title could control
 * the terminal. Line feeds and tabs stay, because stacks need them.
 */
function withoutControlCharacters(json: string): string {
  const visible = json.replaceAll(/\\(u00[01][0-9a-f]|[bfr\\"/nt])/g, (escape) => {
    return /^\\(u00|[bfr])/.test(escape) ? `\\${escape}` : escape;
  });
  // JSON does not escape DEL and the C1 controls.
  return visible.replaceAll(/[\u007f-\u009f]/g, (sign) => `\\\\u00${sign.charCodeAt(0).toString(16)}`);
}

function plainDestination(destination: LoggerSettings['destination']): DestinationStream {
  if (typeof destination !== 'string') return destination;
  // Synchronous, so that the last line before an exit is written.
  return pino.destination({ dest: destination === 'stdout' ? 1 : 2, sync: true });
}

function prettyDestination(destination: LoggerSettings['destination']): DestinationStream {
  return prettyStream({
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss.l',
    sync: true,
    destination: plainDestination(destination),
  });
}

function isProbe(url: string | undefined): boolean {
  return /^\/(health|metrics)(\/|\?|$)/.test(url ?? '');
}

/** The caller's own id if it is harmless, so that a request can be followed through proxies. */
function requestId(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
  response.setHeader('x-request-id', id);
  return id;
}

function requestLevel(status: number, error: Error | undefined): LevelWithSilent {
  if (error !== undefined || status >= 500) return 'error';
  return status >= 400 ? 'warn' : 'info';
}

function describeRequest(request: IncomingMessage): Readonly<Record<string, unknown>> {
  return { id: request.id, method: request.method, path: request.url?.split('?')[0] };
}
