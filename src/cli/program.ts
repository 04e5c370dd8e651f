import { Command, Option } from 'commander';
import { COMMAND_NAMES, COMMANDS, type CommandDeclaration, type OptionDeclaration } from './commands.js';
import { IMPLEMENTATIONS } from './implementations.js';
import { messages } from './messages.js';

const CONFIG: OptionDeclaration = { flags: '--config <file>', description: messages.configFlag };

/**
 * The command line of store-sync. Each command is loaded when it runs, and not for its help. Instead of exiting,
 * parsing throws commander's error, for help and version too.
 */
export function buildProgram(version: string): Command {
  const program = new Command('store-sync').version(version).exitOverride();
  for (const name of COMMAND_NAMES) {
    const command = declare(program.command(name), COMMANDS[name]);
    command.action(async () => {
      refuseMissingOptions(command, COMMANDS[name].options);
      const Runnable = await IMPLEMENTATIONS[name]();
      await new Runnable().run(command.args, command.opts());
    });
  }
  return program;
}

function declare(command: Command, { description, args = {}, options }: CommandDeclaration): Command {
  command.description(description);
  for (const [syntax, about] of Object.entries(args)) command.argument(syntax, about);
  // The command itself rejects extra arguments, with a message that names the action.
  command.allowExcessArguments(Object.keys(args).length > 0);
  for (const option of [...options, CONFIG]) command.addOption(optionOf(option));
  return command;
}

/**
 * Commander's own check of mandatory options comes before the one that finds a mistyped option and suggests the right one. So it is done
 * here, when all that was given is known to exist.
 */
function refuseMissingOptions(command: Command, options: readonly OptionDeclaration[]): void {
  for (const { flags, required = false } of options) {
    if (required && command.getOptionValue(new Option(flags).attributeName()) === undefined)
      command.error(messages.missingOption(flags), { code: 'commander.missingMandatoryOptionValue' });
  }
}

function optionOf({ flags, description, ...more }: OptionDeclaration): Option {
  const option = new Option(flags, description);
  if (more.defaultValue !== undefined) option.default(more.defaultValue);
  if (more.repeated === true)
    option.argParser((value, before: readonly string[] | undefined) => [...(before ?? []), value]);
  return option;
}
