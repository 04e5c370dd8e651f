import { expect, it } from '@jest/globals';
import { harmless, printable, quoted } from './terminal.js';

it('what is printed keeps its lines and our own styles, and nothing else that a terminal obeys', () => {
  const ours = '\u001b[1m\u001b[31mFAIL\u001b[39m\u001b[22m\tstore\n';
  expect(harmless(ours)).toBe(ours);
  expect(harmless('a\u001b[2Jb\u001b]0;c\u0007d\u009b8me\u202ef\u007f\r\u001b[8m')).toBe(
    'a [2Jb ]0;c d 8me f   [8m',
  );
});

it('a text from outside is one bounded line on a terminal, without anything that a terminal obeys', () => {
  const hostile = 'mug\u001b]0;owned\u0007\r\nERROR all is lost\u009b2J\u202egnp.exe\u2028x';
  expect(printable(hostile)).toBe('mug ]0;owned ERROR all is lost 2J gnp.exe x');
  expect(quoted(hostile)).toBe('"mug ]0;owned ERROR all is lost 2J gnp.exe x"');
  expect(Array.from(printable('é'.repeat(5000)))).toHaveLength(160);
});
