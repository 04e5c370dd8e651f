import { describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { SignInPages } from './sign-in.pages.js';

const ADDRESS = 'https://sync.example.com';

/** The pages of an https dashboard, for a browser that came by plain http. What signs in is absent: each use of it would throw. */
function answerByPlainHttp() {
  const answer = { status: 200, page: '' };
  const response = {
    status: (status: number) => {
      answer.status = status;
      return response;
    },
    send: (page: unknown) => (answer.page = String(page)),
  };
  const parts = [{ keptOnlyAt: () => ADDRESS }, {}, {}, {}, {}, {}, {}, { child: () => ({}) }];
  const pages = new SignInPages(...(parts as unknown as ConstructorParameters<typeof SignInPages>));
  return { answer, pages, request: {} as Request, response: response as unknown as Response };
}

describe('signing in', () => {
  it('by a token names the address to open, where the browser would drop the cookie', async () => {
    const { answer, pages, request, response } = answerByPlainHttp();
    await pages.signIn({ token: 'any', next: '/runs' }, request, response);
    expect(answer).toEqual({ status: 400, page: expect.stringContaining(ADDRESS) });
  });

  it('by a link does the same, and leaves the link to be used there', async () => {
    const { answer, pages, request, response } = answerByPlainHttp();
    await pages.signInByLink({ link: 'any' }, request, response);
    expect(answer).toEqual({ status: 400, page: expect.stringContaining(ADDRESS) });
  });
});
