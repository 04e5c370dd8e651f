import { Controller, Get, InternalServerErrorException, Module } from '@nestjs/common';
import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LoggerModule, Logger as NestLogger } from 'nestjs-pino';
import request from 'supertest';
import type { App } from 'supertest/types.js';
import { Writable } from 'node:stream';
import { createLogger, createLoggerOptions } from './logger-options.js';
import type { LoggerSettings } from './logger-options.js';

const CANARY = 'canary "7f\\3a"\nsecret';

function capture(settings: Partial<LoggerSettings> = {}) {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const complete: LoggerSettings = {
    level: 'info',
    pretty: false,
    secrets: [CANARY],
    destination,
    ...settings,
  };
  return { lines, settings: complete, text: () => lines.join('') };
}

describe.each([false, true])('a line (pretty: %s)', (pretty) => {
  it('never holds a secret, in whatever part of it the secret came', () => {
    const { settings, text } = capture({ pretty });
    const logger = createLogger(settings);
    logger.info(`with ${CANARY}`);
    logger.info({ deep: { list: [{ note: CANARY }] }, [CANARY]: 1 }, 'nested');
    logger.error(new Error(`failed with ${CANARY}`, { cause: new Error(CANARY) }));
    logger.error({
      err: Object.assign(new Error('x'), { config: { headers: { authorization: 'plain-canary' } } }),
    });
    logger.child({ note: CANARY }).warn('child');
    expect(text()).toContain('nested');
    expect(text()).not.toContain('7f');
    expect(text()).not.toContain('plain-canary');
  });

  it('holds no raw control characters of what it quotes', () => {
    const { settings, text } = capture({ pretty });
    createLogger(settings).info({ title: 'a\u001b[2Jb\u009bc\\u001bd' }, 'x\u001b[31my\rz');
    expect(text()).toContain('\\u001b[2Jb');
    for (const sign of ['\u001b[2J', '\u001b[31my', '\r']) expect(text()).not.toContain(sign);
    // Legal in JSON, but a terminal interprets it as a command.
    if (pretty) expect(text()).not.toContain('\u009b');
  });
});

describe.each(['warn', 'debug'] as const)('at level %s a failed statement', (level) => {
  const html = '<p>what a merchant says of a product</p>'.repeat(3000);
  const failed = Object.assign(new Error('value too long'), {
    query: `UPDATE products SET description = '${html}'`,
    parameters: [html],
    driverError: Object.assign(new Error('value too long'), { detail: `Failing row contains (${html})` }),
  });

  it(
    level === 'debug'
      ? 'is logged with what it was given'
      : 'is logged without what it was given, on a short line',
    () => {
      const { settings, lines } = capture({ level });
      const logger = createLogger(settings);
      logger.warn({ err: failed }, 'not stored');
      logger.warn({ err: new Error('outer', { cause: failed }) });
      logger.warn({ product: { description: html } }, `read ${html}`);
      expect(lines).toHaveLength(3);
      for (const line of lines) {
        if (level === 'debug') continue;
        expect(line.length).toBeLessThanOrEqual(8192);
        expect(() => void JSON.parse(line)).not.toThrow();
      }
      const errors = lines.slice(0, 2).join('');
      expect(errors.includes('what a merchant says')).toBe(level === 'debug');
      expect(lines[0]).toContain('not stored');
    },
  );
});

describe('a JSON line', () => {
  it('is one line of JSON with level, time and message', () => {
    const { settings, lines } = capture();
    createLogger(settings).warn('first\nsecond');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'warn',
      msg: 'first\nsecond',
      time: expect.stringMatching(/Z$/),
    });
  });

  it('is not written below the level', () => {
    const { settings, lines } = capture({ level: 'error' });
    createLogger(settings).warn('x');
    expect(lines).toEqual([]);
  });
});

@Controller()
class Routes {
  @Get('health/live') live() {
    return 'ok';
  }
  @Get('metrics') metrics() {
    return 'ok';
  }
  @Get('things') things() {
    return 'ok';
  }
  @Get('broken') broken() {
    throw new InternalServerErrorException();
  }
}

describe('requests', () => {
  const { settings, lines, text } = capture();
  let app: INestApplication<App>;

  beforeAll(async () => {
    @Module({
      imports: [LoggerModule.forRoot(createLoggerOptions(createLogger(settings)))],
      controllers: [Routes],
    })
    class Root {}
    const testing = await Test.createTestingModule({ imports: [Root] }).compile();
    app = testing.createNestApplication<INestApplication<App>>({ bufferLogs: true });
    app.useLogger(app.get(NestLogger));
    await app.init();
  });
  beforeEach(() => {
    lines.length = 0;
  });
  afterAll(() => app.close());

  it('are not logged for probes', async () => {
    await request(app.getHttpServer()).get('/health/live?x=1').expect(200);
    await request(app.getHttpServer()).get('/metrics').expect(200);
    expect(lines).toEqual([]);
  });

  it('are logged with id, method, path and status, without query and headers', async () => {
    const answer = await request(app.getHttpServer())
      .get('/things?token=query-canary')
      .set('authorization', 'header-canary')
      .set('x-request-id', 'abc-1')
      .expect(200);
    expect(answer.headers['x-request-id']).toBe('abc-1');
    expect(text()).not.toMatch(/query-canary|header-canary/);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      level: 'info',
      req: { id: 'abc-1', method: 'GET', path: '/things' },
      res: { statusCode: 200 },
    });
  });

  it('get an id of our own in place of an odd one', async () => {
    const answer = await request(app.getHttpServer()).get('/things').set('x-request-id', 'a b').expect(200);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('that fail are logged as errors', async () => {
    await request(app.getHttpServer()).get('/broken').expect(500);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 'error', res: { statusCode: 500 } });
  });
});
