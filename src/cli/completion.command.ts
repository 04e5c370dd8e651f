import { environment } from '../config/index.js';
import { StoreSyncCommand, type CommonOptions } from './command.js';
import { print } from './output.js';
import { completionScript, SHELLS, type CommandWords } from './completion-scripts.js';
import { COMMANDS, type CommandDeclaration } from './commands.js';
import { actionOf, nothingMore } from './terminal.js';

export class CompletionCommand extends StoreSyncCommand {
  protected execute(_options: CommonOptions, [given, ...rest]: readonly string[]): Promise<number> {
    nothingMore('completion', rest);
    const own = environment()['SHELL']?.split('/').at(-1);
    const shell = actionOf('completion', SHELLS, given ?? SHELLS.find((name) => name === own));
    print(completionScript(shell, 'store-sync', words()));
    return Promise.resolve(0);
  }
}

/** Read from the declared commands, so that the script is always up to date. */
function words(): CommandWords[] {
  return Object.entries<CommandDeclaration>(COMMANDS).map(([name, { description, args = {}, options }]) => ({
    name,
    description,
    options: [...options.map(({ flags }) => flags.split(' ', 1).join('')), '--config', '--help'],
    actions: actionsIn(Object.values(args)),
  }));
}

/** The actions in the description of the first argument: `list (default) | show ID | …`. */
function actionsIn([first = '']: readonly string[]): string[] {
  if (!first.includes('|') && !/^[a-z]+ [A-Z]/.test(first)) return [];
  const listed = first.split(';')[0] ?? '';
  return listed.split('|').flatMap((part) => /^\s*([a-z]+)/.exec(part)?.[1] ?? []);
}
