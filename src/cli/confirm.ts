import { createInterface } from 'node:readline/promises';
import { CodedError } from '../domain/errors.js';
import { messages } from './messages.js';

/** Where a question is asked and answered; the process's own streams by default. */
export interface Asking {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/**
 * Asks on the terminal before something reaches the live shop or costs credits. Throws `invalid` without a terminal, where `--yes`
 * confirms, and when the answer is not yes; `refusal` then says what was not done.
 */
export async function confirm(
  question: string,
  isConfirmed: boolean,
  refusal: string = messages.notConfirmed,
  { input, output }: Asking = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (isConfirmed) return;
  if (input.isTTY !== true) throw new CodedError('invalid', messages.confirmByFlag(question));
  const terminal = createInterface({ input, output });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new CodedError('invalid', refusal);
  } finally {
    terminal.close();
  }
}
