import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** From the end of an answer's making to its last byte. A reader that is slower is cut off. */
const ANSWER_MS = 30_000;
/**
 * Pipelined requests that wait for their turn, of all connections. Browsers, proxies and the senders of deliveries have none. Each may
 * have 16 KB of headers.
 */
const MOST_WAITING = 1_000;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Turn {
  /** The response of the request under way. */
  response: ServerResponse;
  readonly waiting: Exchange[];
}

/**
 * Serves one request of each connection at a time, and gives its reader a time limit. Node reads pipelined requests ahead and starts all
 * of them, so that a client which reads no answers would have hundreds of them made, and kept.
 */
export class TakingTurns {
  readonly #turns = new WeakMap<Socket, Turn>();
  #underWay = 0;
  #waiting = 0;

  constructor(
    private readonly serve: RequestListener,
    private readonly limits = { answerMs: ANSWER_MS, mostWaiting: MOST_WAITING },
  ) {}

  readonly listener: RequestListener = (request, response) => {
    const { socket } = request;
    const turn = this.#turns.get(socket);
    if (turn === undefined) {
      this.#begin({ request, response }, []);
    } else if (this.#waiting >= this.limits.mostWaiting) {
      socket.destroy();
    } else {
      this.#waiting += 1;
      turn.waiting.push({ request, response });
    }
  };

  /** True when no connection has a request under way. */
  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /** The response of a connection's request under way. */
  responseOf(socket: Socket): ServerResponse | undefined {
    return this.#turns.get(socket)?.response;
  }

  /** True while a connection waits for us, and not for its client to send the request or to take the answer. */
  isAnswering(socket: Socket): boolean {
    const response = this.responseOf(socket);
    if (response === undefined || response.writableEnded || response.writableNeedDrain) return false;
    return response.req.complete;
  }

  #begin({ request, response }: Exchange, waiting: Exchange[]): void {
    const { socket } = request;
    this.#underWay += 1;
    this.#turns.set(socket, { response, waiting });
    this.#limit(response);
    response.once('close', () => {
      this.#underWay -= 1;
      // Short answers are written at once: without a pause the requests of one connection would keep all others waiting.
      if (waiting.length === 0) this.#turns.delete(socket);
      else setImmediate(() => this.#goOn(socket, waiting));
    });
    this.serve(request, response);
  }

  #goOn(socket: Socket, waiting: Exchange[]): void {
    const next = socket.destroyed ? undefined : waiting.shift();
    if (next === undefined) {
      this.#waiting -= waiting.length;
      this.#turns.delete(socket);
      return;
    }
    this.#waiting -= 1;
    this.#begin(next, waiting);
  }

  /** An answer that is a text is made at once (`prefinish`), and a file is read as fast as it is taken (`pipe`). */
  #limit(response: ServerResponse): void {
    let timer: NodeJS.Timeout | undefined;
    const start = (): void => {
      timer ??= setTimeout(() => response.destroy(), this.limits.answerMs);
    };
    response
      .once('prefinish', start)
      .once('pipe', start)
      .once('close', () => {
        clearTimeout(timer);
      });
  }
}
