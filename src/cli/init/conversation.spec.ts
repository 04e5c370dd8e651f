import { describe, expect, it } from '@jest/globals';
import type { Finding } from '../../operations/check.js';
import type { Answers } from './answers.js';
import { completeAnswers, type Person } from './conversation.js';
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

/** A person who answers in this order. Secrets are marked, and what Enter alone repeats is in brackets. */
function answering(...words: string[]) {
  const heard: string[] = [];
  const person: Person = {
    ask: ({ text, isSecret }, before) => {
      heard.push(
        `${isSecret ? '*' : ''}${text.split(' ').slice(0, 2).join(' ')}${before === '' ? '' : ` [${before}]`}`,
      );
      return Promise.resolve(words.shift() ?? before);
    },
  };
  return { heard, person };
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
    const asks: Person = { ask: (...asked) => (order.push('ask'), person.ask(...asked)) };
    const given = { store: 'main', shop: 'one.myshopify.com' };
    const answers = await completeAnswers(given, { probes, person: asks, ...silent });
    expect(answers).toEqual({ ...ALL, locale: 'en', locales: 'de', publicUrl: '' });
    expect(heard.filter((text) => text.startsWith('*'))).toEqual(['*API token', '*Client secret']);
    expect(order.join(', ')).toBe(
      'ask, test catalogAddress, ask, test catalog, ask, test language, ' +
        'test storeAddress, ask, ask, test store, ask, test store, ask, test publicUrl',
    );
  });

  it('asks for the refused secret alone again, and after Enter for all answers of the failed test', async () => {
    const { probes, asked } = recorder((side, { clientId }) =>
      side === 'store' && clientId === 'id' ? fail : ok,
    );
    const { person, heard } = answering('en', '', 'right', 'new secret', '', '');
    const answers = await completeAnswers(ALL, { probes, person, ...silent });
    expect(answers).toMatchObject({ shop: ALL.shop, clientId: 'right', clientSecret: 'new secret' });
    expect(asked.filter(([side]) => side === 'storeAddress')).toHaveLength(1);
    expect(heard.slice(1, 4)).toEqual(['*Client secret', 'Client ID [id]', '*Client secret']);
  });

  it('offers an address that was refused twice no more, so that Enter alone never goes on for ever', async () => {
    let tests = 0;
    const { probes } = recorder((side) => (side === 'storeAddress' && (tests += 1) < 3 ? fail : ok));
    const { person, heard } = answering('en', 'one.myshopify.com', 'two.myshopify.com');
    await completeAnswers(ALL, { probes, person, ...silent });
    expect(heard.filter((text) => text.startsWith('Permanent'))).toEqual([
      'Permanent address [one.myshopify.com]',
      'Permanent address',
    ]);
  });

  it('offers a refused address to Enter, which tests it again', async () => {
    let isUp = false;
    const { probes } = recorder((side) => {
      if (side !== 'catalogAddress') return ok;
      const found = isUp ? ok : fail;
      isUp = true;
      return found;
    });
    const { person, heard } = answering();
    const answers = await completeAnswers(ALL, { probes, person, ...silent });
    expect(answers).toMatchObject({ baseUrl: 'https://c.test/api/v1', catalogToken: 'token' });
    expect(heard[0]).toBe('Address of [https://c.test/api/v1]');
    expect(heard).not.toContain('*API token');
  });
});
