import { describe, expect, it } from '@jest/globals';
import type { Finding } from '../../operations/check.js';
import type { Answers } from './answers.js';
import { completeAnswers } from './conversation.js';
import type { Probes } from './steps.js';

const ALL: Answers = {
  store: 'main',
  baseUrl: 'https://c.test/api/v1',
  catalogToken: 'token',
  shop: 'one.myshopify.com',
  clientId: 'id',
  clientSecret: 'secret',
};
const ok: Finding = { level: 'ok', what: 'part', detail: 'fine' };
const fail: Finding = { level: 'FAIL', what: 'part', detail: 'refused' };

/** Probes that find what `find` says, and keep what they were asked about. */
function recorder(find: (side: string, answers: Answers) => Finding = () => ok) {
  const asked: [string, Answers][] = [];
  const probe = (side: string) => (answers: Answers) => {
    asked.push([side, answers]);
    return Promise.resolve([find(side, answers)]);
  };
  const probes: Probes = {
    catalogAddress: probe('catalogAddress'),
    catalog: probe('catalog'),
    language: probe('language'),
    storeAddress: probe('storeAddress'),
    store: probe('store'),
    publicUrl: probe('publicUrl'),
  };
  return { probes, asked };
}

/** A person who answers in this order. Secrets are marked. */
function answering(...words: string[]) {
  const heard: string[] = [];
  const next = (text: string, mark: string): Promise<string> => {
    heard.push(mark + text.split(' ').slice(0, 2).join(' '));
    return Promise.resolve(words.shift() ?? '');
  };
  return {
    heard,
    person: { ask: (text: string) => next(text, ''), askSecret: (text: string) => next(text, '*') },
  };
}

const silent = { say: () => undefined, show: () => undefined };

describe('init without a terminal', () => {
  it('names the flag of every answer that is missing, before it tests anything', async () => {
    const { probes, asked } = recorder();
    const given = { store: 'main', catalogToken: 'token' };
    await expect(completeAnswers(given, { probes, person: null, ...silent })).rejects.toThrow(
      'without a terminal, init needs --catalog-url, --shop, --client-id, --client-secret-file',
    );
    expect(asked).toEqual([]);
  });

  it('names the API token as the usual one of both logins, and what the other one lacks where it was begun', async () => {
    const { probes } = recorder();
    const { catalogToken: _token, ...given } = ALL;
    const ends = [given, { ...given, catalogEmail: 'a@example.com' }].map((answers) =>
      completeAnswers(answers, { probes, person: null, ...silent }).catch(String),
    );
    expect(await Promise.all(ends)).toEqual([
      expect.stringMatching(/needs --catalog-token-file \(or --catalog-email and --catalog-password-file\)$/),
      expect.stringMatching(/needs --catalog-password-file$/),
    ]);
  });

  it('takes a login in place of the API token, and a permanent token in place of client credentials', async () => {
    const { probes } = recorder();
    const given = {
      store: 'main',
      baseUrl: 'b',
      catalogEmail: 'e',
      catalogPassword: 'p',
      shop: 's',
      accessToken: 't',
    };
    await expect(completeAnswers(given, { probes, person: null, ...silent })).resolves.toMatchObject(given);
  });

  it('stops at the first test that fails, with its finding', async () => {
    const { probes, asked } = recorder((side) => (side === 'store' ? fail : ok));
    await expect(completeAnswers(ALL, { probes, person: null, ...silent })).rejects.toThrow(
      'init stopped at a failed test: part: refused',
    );
    expect(asked.map(([side]) => side)).toEqual(['catalogAddress', 'catalog', 'storeAddress', 'store']);
  });

  it('leaves optional answers empty', async () => {
    const { probes } = recorder();
    const answers = await completeAnswers(ALL, { probes, person: null, ...silent });
    expect(answers).toEqual({ ...ALL, locale: '', locales: '', publicUrl: '' });
  });
});

describe('init on a terminal', () => {
  it('asks for what no flag gave, hides secrets, and tests each step before the next question', async () => {
    const order: string[] = [];
    const { probes } = recorder((side) => {
      order.push(`test ${side}`);
      return ok;
    });
    const { person, heard } = answering('https://c.test/api/v1', 'token', 'en', 'id', 'secret', 'de', '');
    const asks = {
      ask: (text: string) => (order.push('ask'), person.ask(text)),
      askSecret: (text: string) => (order.push('ask'), person.askSecret(text)),
    };
    const given = { store: 'main', shop: 'one.myshopify.com' };
    const answers = await completeAnswers(given, { probes, person: asks, ...silent });
    expect(answers).toEqual({ ...ALL, locale: 'en', locales: 'de', publicUrl: '' });
    expect(heard.filter((text) => text.startsWith('*'))).toEqual(['*API token', '*Client secret']);
    expect(order.join(', ')).toBe(
      'ask, test catalogAddress, ask, test catalog, ask, test language, ' +
        'test storeAddress, ask, ask, test store, ask, test store, ask, test publicUrl',
    );
  });

  it('asks a step again after a failed test, also where flags gave the answers', async () => {
    const { probes, asked } = recorder((side, { clientId }) =>
      side === 'store' && clientId === 'id' ? fail : ok,
    );
    const { person, heard } = answering('', 'two.myshopify.com', 'right', 'new secret');
    const answers = await completeAnswers(ALL, { probes, person, ...silent });
    expect(answers).toMatchObject({
      shop: 'two.myshopify.com',
      clientId: 'right',
      clientSecret: 'new secret',
    });
    expect(asked.filter(([side]) => side === 'store')).toHaveLength(2);
    expect(heard).toContain('*Client secret');
  });

  it('asks for a refused address alone, and offers the refused answer to Enter', async () => {
    let isUp = false;
    const { probes } = recorder((side) => {
      if (side !== 'catalogAddress') return ok;
      const found = isUp ? ok : fail;
      isUp = true;
      return found;
    });
    const questions: string[] = [];
    const ask = (text: string): Promise<string> => (questions.push(text), Promise.resolve(''));
    const answers = await completeAnswers(ALL, { probes, person: { ask, askSecret: ask }, ...silent });
    expect(answers).toMatchObject({ baseUrl: 'https://c.test/api/v1', catalogToken: 'token' });
    expect(questions[0]).toMatch(/^Address of the catalog .* \[https:\/\/c\.test\/api\/v1\]$/);
    expect(questions).not.toContainEqual(expect.stringContaining('API token'));
  });

  it('asks for the address again too when the login is refused, because that may be wrong, and offers no secret', async () => {
    const { probes } = recorder((side, { catalogToken }) =>
      side === 'catalog' && catalogToken === 'token' ? fail : ok,
    );
    const questions: string[] = [];
    const words = ['', 'new token', '', '', ''];
    const ask = (text: string): Promise<string> => (
      questions.push(text),
      Promise.resolve(words.shift() ?? '')
    );
    const answers = await completeAnswers(ALL, { probes, person: { ask, askSecret: ask }, ...silent });
    expect(answers).toMatchObject({ baseUrl: 'https://c.test/api/v1', catalogToken: 'new token' });
    expect(questions.slice(0, 2)).toEqual([
      expect.stringContaining('Address of the catalog'),
      expect.stringMatching(/^API token[^[]*$/),
    ]);
  });

  it('repeats a question that needs an answer', async () => {
    const { probes } = recorder();
    const { clientId: _left, ...given } = ALL;
    const { person } = answering('', '', '', 'id');
    await expect(completeAnswers(given, { probes, person, ...silent })).resolves.toMatchObject({
      clientId: 'id',
    });
  });
});
