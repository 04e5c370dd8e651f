import { expect, it } from '@jest/globals';
import { printable, quoted } from './terminal.js';

it('a text from outside is one bounded line on a terminal, without anything that a terminal obeys', () => {
  const hostile = 'mug\u001b]0;owned\u0007\r\nERROR all is lost\u009b2J\u202egnp.exe\u2028x';
  expect(printable(hostile)).toBe('mug ]0;owned ERROR all is lost 2J gnp.exe x');
  expect(quoted(hostile)).toBe('"mug ]0;owned ERROR all is lost 2J gnp.exe x"');
  expect(Array.from(printable('é'.repeat(5000)))).toHaveLength(160);
});
