import { Command } from 'nest-commander';
import { environment } from '../config/index.js';
import { StoreSyncCommand, type CommonOptions } from './command.js';
import { print } from './output.js';
import { completionScript, SHELLS, type CommandWords } from './completion-scripts.js';
import { actionOf, nothingMore } from './terminal.js';
import { messages } from './messages.js';

@Command({
  name: 'completion',
  description: messages.completionDoes,
  arguments: '[shell]',
  argsDescription: { shell: messages.shells },
})
export class CompletionCommand extends StoreSyncCommand {
  protected execute(_options: CommonOptions, [given, ...rest]: readonly string[]): Promise<number> {
    nothingMore('completion', rest);
    const own = environment()['SHELL']?.split('/').at(-1);
    const shell = actionOf('completion', SHELLS, given ?? SHELLS.find((name) => name === own));
    print(completionScript(shell, 'store-sync', this.#words()));
    return Promise.resolve(0);
  }

  /** Read from the commands that the program parses, so that the script is always up to date. */
  #words(): CommandWords[] {
    return (this.command.parent?.commands ?? []).map((command) => ({
      name: command.name(),
      description: command.description(),
      options: [...command.options.flatMap((option) => option.long ?? []), '--help'],
      actions: actionsIn(command.registeredArguments.map((argument) => argument.description)),
    }));
  }
}

/** The actions in the description of the first argument: `list (default) | show ID | …`. */
function actionsIn([first = '']: readonly string[]): string[] {
  if (!first.includes('|') && !/^[a-z]+ [A-Z]/.test(first)) return [];
  const listed = first.split(';')[0] ?? '';
  return listed.split('|').flatMap((part) => /^\s*([a-z]+)/.exec(part)?.[1] ?? []);
}
