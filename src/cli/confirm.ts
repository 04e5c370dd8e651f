import { CodedError } from '../domain/errors.js';

/** The streams for a question and its answer; the process's own by default. */
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
  refusal = 'not confirmed: nothing was changed',
  { input, output }: Asking = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (isConfirmed) return;
  if (input.isTTY !== true)
    throw new CodedError('invalid', `${question} Repeat the command with --yes to confirm.`);
  // Loaded on demand: few commands ask.
  const { confirm: ask } = await import('@inquirer/prompts');
  const isYes = await ask({ message: question, default: false }, { input, output }).catch(isStopped);
  if (!isYes) throw new CodedError('invalid', refusal);
}

/** Ctrl-C means no. */
function isStopped(error: unknown): false {
  if (error instanceof Error && error.name === 'ExitPromptError') return false;
  throw error;
}
