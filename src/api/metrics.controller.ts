import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Metrics } from '../observability/metrics/metrics.js';
import { nextAnswer } from '../runtime/next-answer.js';

/** One metrics text is made at a time. Requests that arrive meanwhile share the next one. */
@Controller('metrics')
export class MetricsController {
  readonly #text: () => Promise<Buffer>;

  constructor(metrics: Metrics) {
    this.#text = nextAnswer(async () => Buffer.from(await metrics.text()));
  }

  @Get()
  async text(@Res() response: Response): Promise<void> {
    const text = await this.#text();
    // Bypasses Express, which would compute an ETag.
    response.writeHead(200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'content-length': text.length,
    });
    response.end(text);
  }
}
