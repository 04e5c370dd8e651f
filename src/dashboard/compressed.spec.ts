import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { compressed } from './compressed.js';

const LONG = '<p>A row of a list.</p>'.repeat(500);

const app = express()
  .use(compressed)
  .get('/long', (_request, response) => void response.send(LONG))
  .get('/short', (_request, response) => void response.send('short'))
  .get('/style', (_request, response) => void response.type('css').send(LONG));

describe('a compressed answer', () => {
  it.each([
    ['/long', 'text/html; charset=utf-8'],
    ['/style', 'text/css; charset=utf-8'],
  ])('of %s has the same text and its type', async (path, type) => {
    const { headers, text } = await request(app).get(path).set('accept-encoding', 'br, gzip');
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': type });
    expect(headers['vary']).toMatch(/accept-encoding/i);
    expect(Number(headers['content-length'])).toBeLessThan(LONG.length / 10);
    expect(text).toBe(LONG);
  });

  it.each([
    ['/long', 'identity', LONG],
    ['/short', 'gzip', 'short'],
  ])('is none for %s and a client that takes %s', async (path, accepted, text) => {
    const answer = await request(app).get(path).set('accept-encoding', accepted);
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.text).toBe(text);
  });
});
