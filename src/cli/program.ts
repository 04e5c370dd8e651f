import { Command, Option } from 'commander';
import { COMMANDS } from './commands.js';
import type { OptionDeclaration } from './options.js';

const CONFIG: OptionDeclaration = {
  flags: '--config <file>',
  description:
    'the configuration file; default: STORE_SYNC_CONFIG, or store-sync.yaml in the working directory',
};

/**
 * The command line of store-sync. Only the commands that `isNeeded` names are loaded, with their arguments and options; the help of the
 * program needs none. Instead of exiting, parsing throws commander's error, for help and version too.
 */
export async function buildProgram(
  version: string,
  isNeeded: (name: string) => boolean = () => true,
): Promise<Command> {
  const program = new Command('store-sync').version(version).exitOverride();
  for (const [name, { group, does, load }] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(does).helpGroup(`${group}:`);
    if (!isNeeded(name)) continue;
    const Runnable = await load();
    const runnable = new Runnable();
    for (const [syntax, about] of Object.entries(runnable.args)) command.argument(syntax, about);
    // The command itself rejects extra arguments, with a message that names the action.
    command.allowExcessArguments(Object.keys(runnable.args).length > 0);
    for (const option of [...runnable.options, CONFIG]) command.addOption(optionOf(option));
    command.action(() => runnable.run(command.args, command.opts()));
  }
  return program;
}

function optionOf({ flags, description, ...more }: OptionDeclaration): Option {
  const option = new Option(flags, description);
  if (more.defaultValue !== undefined) option.default(more.defaultValue);
  if (more.repeated === true)
    option.argParser((value, before: readonly string[] | undefined) => [...(before ?? []), value]);
  return option;
}
