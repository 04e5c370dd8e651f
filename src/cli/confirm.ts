import { createInterface } from 'node:readline/promises';
import { CodedError } from '../domain/errors.js';
import { messages } from './messages.js';

/**
 * Asks on the terminal before something reaches the live shop. Throws `invalid` without a terminal, where `--yes` confirms, and when the
 * answer is not yes.
 */
export async function confirm(question: string, isConfirmed: boolean): Promise<void> {
  if (isConfirmed) return;
  if (!process.stdin.isTTY) throw new CodedError('invalid', messages.confirmByFlag(question));
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new CodedError('invalid', messages.notConfirmed);
  } finally {
    terminal.close();
  }
}
