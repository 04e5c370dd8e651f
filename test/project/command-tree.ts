import { buildProgram } from '../../src/cli/program.js';

interface KnownCommand {
  /** Long flags, and whether each takes a value. */
  readonly options: ReadonlyMap<string, boolean>;
  /** Whether it takes words besides options. */
  readonly takesWords: boolean;
  /** The values of the first word; empty: any. */
  readonly actions: readonly string[];
}

export type CommandTree = ReadonlyMap<string, KnownCommand>;

/** The very commands that the program parses, built in this process and not run. */
export async function commandTree(): Promise<CommandTree> {
  const program = await buildProgram('0.0.0');
  const commands = program.commands.map((command): [string, KnownCommand] => {
    const [first] = command.registeredArguments;
    return [
      command.name(),
      {
        options: new Map(
          command.options.map(({ long, required, optional }) => [long ?? '', required || optional]),
        ),
        takesWords: first !== undefined,
        actions: actionsIn(first?.description ?? ''),
      },
    ];
  });
  return new Map(commands);
}

/** `list (default) | show ID | …`, as the command's own description has it. */
function actionsIn(description: string): string[] {
  if (!/^[a-z]+ (\(default\)|[A-Z|])/.test(description)) return [];
  return description.split('|').flatMap((part) => /^\s*([a-z]+)/.exec(part)?.[1] ?? []);
}

/**
 * The problem of `words` as a command line of store-sync; null when there is none. Understands how usage is written:
 * `[--full]` is an option that may be left out, `show ID…` an action with a placeholder, `…` anything.
 */
export function misuse(tree: CommandTree, words: string): string | null {
  const [name = '', ...rest] = words
    .replaceAll(/[[\]'",…]/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
  if (name === '' || name.startsWith('--')) return null;
  const command = tree.get(name);
  if (!command) return `store-sync ${name}: no such command`;
  const free: string[] = [];
  for (let index = 0; index < rest.length; index += 1) {
    const [flag = ''] = (rest[index] ?? '').split('=');
    if (!flag.startsWith('--')) free.push(flag);
    else if (flag !== '--help') {
      const takesValue = command.options.get(flag);
      if (takesValue === undefined) return `store-sync ${name}: no option ${flag}`;
      if (takesValue && !rest[index]?.includes('=')) index += 1;
    }
  }
  const [action] = free;
  // A word in capitals stands for another.
  if (action === undefined || /^[A-Z_]+$/.test(action)) return null;
  if (!command.takesWords) return `store-sync ${name}: takes no word`;
  if (command.actions.length > 0 && !command.actions.includes(action))
    return `store-sync ${name}: no action ${action}`;
  return null;
}
