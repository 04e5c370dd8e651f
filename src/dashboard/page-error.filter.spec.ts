import { expect, it, jest } from '@jest/globals';
import type { ArgumentsHost } from '@nestjs/common';
import { ErrorFilter } from '../api/error.filter.js';
import { PageErrorFilter } from './page-error.filter.js';

const log = { error: () => undefined };

it.each([
  ['a page', new PageErrorFilter(log)],
  ['the API', new ErrorFilter(log)],
])(
  'an answer of %s that fails on its way is cut off, so that nobody takes a part of it for the whole',
  (_of, filter) => {
    const response = { headersSent: true, end: jest.fn(), destroy: jest.fn() };
    const host = { switchToHttp: () => ({ getResponse: () => response, getRequest: () => ({}) }) };
    filter.catch(new Error('the database is away'), host as unknown as ArgumentsHost);
    expect(response.end).not.toHaveBeenCalled();
    expect(response.destroy).toHaveBeenCalled();
  },
);
