import { expect, it, jest } from '@jest/globals';
import { print, printJson } from './output.js';

it('neither a line nor a document on stdout drives the terminal', () => {
  const written: string[] = [];
  const spy = jest.spyOn(process.stdout, 'write');
  spy.mockImplementation((text) => written.push(String(text)) > 0);
  print('task \u001b[2J\u009b31m');
  printJson({ title: 'a\u001b[2J\u009b31m\u007f' });
  spy.mockRestore();
  expect(written).toEqual(['task  [2J 31m\n', '{\n  "title": "a\\u001b[2J\\u009b31m\\u007f"\n}\n']);
});
