import type { RequestHandler } from 'express';
import { API_PREFIX } from '../settings.js';

export interface LoggedRequest {
  readonly at: Date;
  readonly method: string;
  /** Below the base URL, without the query. */
  readonly path: string;
  readonly query: string;
  readonly status: number;
}

const KEPT_REQUESTS = 20_000;

/** The requests to the sandbox, for those who count calls. It holds no header and no body. */
export class RequestLog {
  private requests: LoggedRequest[] = [];

  constructor(private readonly clock: () => Date) {}

  /** Notes each request when it is answered, or when its connection closes before. */
  readonly middleware: RequestHandler = (request, response, next) => {
    const at = this.clock();
    const [path = '', query = ''] = request.originalUrl.split('?');
    response.once('close', () => {
      this.requests.push({
        at,
        method: request.method,
        path: path.replace(API_PREFIX, ''),
        query,
        status: response.statusCode,
      });
      if (this.requests.length > KEPT_REQUESTS) this.requests = this.requests.slice(-KEPT_REQUESTS / 2);
    });
    next();
  };

  all(): readonly LoggedRequest[] {
    return [...this.requests];
  }

  reset(): void {
    this.requests = [];
  }
}
