import { input, password } from '@inquirer/prompts';
import { CodedError } from '../../domain/errors.js';
import type { Person } from './conversation.js';

type Streams = NonNullable<Parameters<typeof input>[1]>;

/** Asks on stderr, so that stdout has results only. Throws `invalid` for Ctrl-C. */
export function personAt(streams: Streams): Person {
  return {
    ask: async ({ text, isSecret, isOptional }, before) => {
      const validate = (answer: string): true | string =>
        isOptional || answer.trim() !== '' || 'An answer is needed here. Press Ctrl-C to stop.';
      try {
        if (isSecret) return await password({ message: text, validate }, streams);
        return await input({ message: text, validate, ...(before !== '' && { default: before }) }, streams);
      } catch (error) {
        if (!(error instanceof Error && error.name === 'ExitPromptError')) throw error;
        throw new CodedError('invalid', 'stopped before the last answer: nothing was written', {
          cause: error,
        });
      }
    },
  };
}
