import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { NotFoundException } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express/adapters/express-adapter.js';
import { Router, type NextFunction, type Request, type Response } from 'express';
import { TakingTurns } from './taking-turns.js';
import { INSTALL_ROUTES } from '../operations/store-installs.js';

/** From a request's first byte to its last one. The catalog service gives up after ten seconds. */
const REQUEST_MS = 20_000;
const HEADERS_MS = 10_000;
/** How often requests are checked against both. */
const CHECK_MS = 1_000;
/** Longer than a proxy keeps its connections: it must never write into one that we are closing. */
const KEEP_ALIVE_MS = 75_000;
/** Files that the program itself may need: database, Redis, calls to both sides, an export on disk. */
const OWN_FILES = 200;

/**
 * The connections of each port that the limit of open files leaves room for. `openFiles` is null where there is no
 * limit.
 */
export function connectionsWithin(
  wanted: number,
  openFiles: number | null,
  ports = 1,
): { readonly limit: number; readonly openFiles: number | null; readonly reduced: boolean } {
  const room =
    openFiles === null
      ? wanted
      : Math.floor(Math.max(openFiles - OWN_FILES, Math.floor(openFiles / 2)) / ports);
  return { limit: Math.min(wanted, room), openFiles, reduced: room < wanted };
}

const STARTING = { statusCode: 503, error: 'Service Unavailable', message: 'store-sync is starting' };

type RouteHandler = Parameters<ExpressAdapter['post']>[1];

/** Routes of a public port that has an admin port beside it. */
const PUBLIC_ROUTES = new RegExp(`^/(webhooks|health|${INSTALL_ROUTES})/`, 'i');
const WEBHOOK_ROUTES = '/webhooks/';
const ONLY_PUBLIC_ROUTES = new RegExp(`^/(webhooks|${INSTALL_ROUTES})(/|$)`, 'i');

/**
 * Nest's Express adapter on servers with limits for slow and numerous connections. A request has twenty seconds to
 * arrive, and a connection has one under way. At the limit of connections the one that waits longest for its client gives way. `listenForAdmin` adds a second server, with
 * limits of its own: a flood on the public port leaves it free.
 */
export class BoundedExpressAdapter extends ExpressAdapter {
  #public: Port | null = null;
  #admin: Port | null = null;
  #isOpen = false;

  /** The controllers' routes for webhooks. To be used before all others: Express compares a request with each route before its own. */
  readonly webhooks = Router();

  constructor(private readonly connectionLimit: number) {
    super();
  }

  override initHttpServer(): void {
    this.#public = this.#boundedPort();
    this.setHttpServer(this.#public.server);
  }

  override post(path: unknown, handler?: RouteHandler): unknown {
    if (handler === undefined) return super.post(path as RouteHandler);
    const isWebhook = typeof path === 'string' && path.startsWith(WEBHOOK_ROUTES);
    return isWebhook ? this.webhooks.post(path, handler) : super.post(path, handler);
  }

  /**
   * Listens on a port for operators as well. From then on the first server has only webhooks and health checks, and
   * the second one everything but webhooks. Rejects when the port cannot be used.
   */
  async listenForAdmin(port: number, host: string): Promise<void> {
    this.#admin = this.#boundedPort();
    const { server } = this.#admin;
    server.listen(port, host);
    await once(server, 'listening');
  }

  /** Listens before the application is ready: requests get 503 until `open`. Rejects when the port cannot be used. */
  async listenEarly(port: number, host: string): Promise<void> {
    const server = this.getHttpServer();
    server.listen(port, host);
    await once(server, 'listening');
  }

  /** From now on requests reach the routes. */
  open(): void {
    this.#isOpen = true;
  }

  /** Answers 503 while the application starts: a 404 would be final to the sender of a delivery. It must be the first middleware. */
  readonly onlyWhenOpen = (_request: Request, response: Response, next: NextFunction): void => {
    if (this.#isOpen) next();
    else response.status(503).set('retry-after', '1').json(STARTING);
  };

  /** Answers 404 for routes of the other port. */
  readonly separatePorts = (request: Request, _response: Response, next: NextFunction): void => {
    if (this.#admin === null) {
      next();
      return;
    }
    const open = this.#admin.has(request.socket)
      ? !ONLY_PUBLIC_ROUTES.test(request.path)
      : PUBLIC_ROUTES.test(request.path);
    if (!open) throw new NotFoundException(`Cannot ${request.method} ${request.path}`);
    next();
  };

  override async close(): Promise<void> {
    await Promise.all([super.close(), this.#admin?.close()]);
  }

  /** Ends the idle connections of closing servers. */
  closeUnused(): void {
    this.#public?.closeUnused();
    this.#admin?.closeUnused();
  }

  #boundedPort(): Port {
    return new Port(this.getInstance<RequestListener>(), this.connectionLimit);
  }
}

/** A server with limits on connections and on the time that a request takes to arrive. */
class Port {
  readonly server: Server;
  readonly #turns: TakingTurns;
  /** The open ones. Those whose last request began or ended longest ago come first. */
  readonly #sockets = new Set<Socket>();

  constructor(
    serve: RequestListener,
    private readonly connectionLimit: number,
  ) {
    this.#turns = new TakingTurns(serve);
    this.server = createServer(
      {
        requestTimeout: REQUEST_MS,
        headersTimeout: HEADERS_MS,
        connectionsCheckingInterval: CHECK_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
      },
      this.#turns.listener,
    );
    // Node's own limit refuses newcomers. It holds for the moment before one of the others is closed.
    this.server.maxConnections = connectionLimit + 1;
    this.server.on('connection', (socket: Socket) => {
      if (!this.#hasRoom()) {
        socket.destroy();
        return;
      }
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.server.on('request', ({ socket }, response) => {
      this.#moved(socket);
      response.once('close', () => {
        this.#moved(socket);
      });
    });
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      answerBrokenRequest(error, socket, this.#turns.responseOf(socket));
    });
  }

  has(socket: Socket): boolean {
    return this.#sockets.has(socket);
  }

  /**
   * At the limit, closes the connection whose client has kept us waiting longest: for a request, the rest of one, or the reading of its
   * answer. Otherwise senders of half a body would keep everybody else out until their time is over. False when all are being answered.
   */
  #hasRoom(): boolean {
    if (this.#sockets.size < this.connectionLimit) return true;
    for (const socket of this.#sockets) {
      if (this.#turns.isAnswering(socket)) continue;
      this.#sockets.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  #moved(socket: Socket): void {
    if (this.#sockets.delete(socket)) this.#sockets.add(socket);
  }

  /** Stops listening, and resolves when the last connection has ended. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }

  /** A closing server checks no time limits any more, so half-sent requests end with the last one that is under way. */
  closeUnused(): void {
    if (this.server.listening) return;
    if (this.#turns.isIdle) this.server.closeAllConnections();
    else this.server.closeIdleConnections();
  }
}

/**
 * Node's own answer to a request that takes too long is 408, and a 4xx is final to the sender of a delivery: 503 here. A
 * request that is not HTTP gets the status that Node would give.
 */
function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  answer: ServerResponse | undefined,
): void {
  if (!socket.writable || answer?.headersSent === true || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  socket.write(
    `HTTP/1.1 ${STATUS_LINES[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
  socket.destroySoon();
}

const STATUS_LINES: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '503 Service Unavailable',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
};
