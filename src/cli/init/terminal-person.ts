import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Person } from './conversation.js';

/** Asks on stderr, so that stdout has results only. */
export const TERMINAL_PERSON: Person = {
  ask: (text) => asked(text, process.stderr),
  askSecret: async (text) => {
    process.stderr.write(`${text}: `);
    // The editor of the line gets the keys, and what it would show goes nowhere.
    const answer = await asked(text, new Writable({ write: (_chunk, _encoding, done) => done() }));
    process.stderr.write('\n');
    return answer;
  },
};

async function asked(text: string, output: NodeJS.WritableStream): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  const interrupted = new AbortController();
  terminal.once('SIGINT', () => {
    interrupted.abort(new Error('interrupted'));
  });
  try {
    return await terminal.question(`${text}: `, { signal: interrupted.signal });
  } finally {
    terminal.close();
  }
}
