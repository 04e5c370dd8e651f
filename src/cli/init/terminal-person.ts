import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CodedError } from '../../domain/errors.js';
import type { Person } from './conversation.js';
import { messages } from './messages.js';

/** Asks on stderr, so that stdout has results only. */
export const TERMINAL_PERSON: Person = {
  ask: (text) => asked(text, process.stderr),
  askSecret: async (text) => {
    process.stderr.write(`${text}: `);
    // Node's line editor reads the keys. Its output is dropped, so that a secret is not shown.
    const answer = await asked(text, new Writable({ write: (_chunk, _encoding, done) => done() }));
    process.stderr.write('\n');
    return answer;
  },
};

/** Asks one question. Throws `invalid` for Ctrl-C and Ctrl-D. */
export async function asked(
  text: string,
  output: NodeJS.WritableStream,
  input: NodeJS.ReadableStream = process.stdin,
): Promise<string> {
  const terminal = createInterface({ input, output, terminal: true });
  const interrupted = new AbortController();
  terminal.once('SIGINT', () => {
    interrupted.abort();
  });
  try {
    return await terminal.question(`${text}: `, { signal: interrupted.signal });
  } catch (error) {
    // Ctrl-D ends the question with an AbortError as well.
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    throw new CodedError('invalid', messages.interrupted, { cause: error });
  } finally {
    terminal.close();
  }
}
