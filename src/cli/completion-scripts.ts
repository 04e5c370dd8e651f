export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export interface CommandWords {
  readonly name: string;
  readonly description: string;
  /** Long flags. */
  readonly options: readonly string[];
  /** The values of the first argument; empty when it is free or there is none. */
  readonly actions: readonly string[];
}

/** A script that completes commands, their actions and their options, and file names otherwise. Pure. */
export function completionScript(shell: Shell, program: string, commands: readonly CommandWords[]): string {
  switch (shell) {
    case 'bash':
      return bash(program, commands);
    case 'zsh':
      return zsh(program, commands);
    case 'fish':
      return fish(program, commands);
  }
}

function bash(program: string, commands: readonly CommandWords[]): string {
  const name = functionName(program);
  const cases = commands.map(
    ({ name: command, options, actions }) =>
      `    ${command}) words="${options.join(' ')}"; actions="${actions.join(' ')}" ;;`,
  );
  return `# bash completion of ${program}: source <(${program} completion bash)
${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words="" actions=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map((command) => command.name).join(' ')} --help" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  [ "$COMP_CWORD" -eq 2 ] && words="$words $actions"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F ${name} ${program}`;
}

function zsh(program: string, commands: readonly CommandWords[]): string {
  const name = functionName(program);
  const described = commands.map(
    ({ name: command, description }) => `    '${command}:${singleQuoted(description)}'`,
  );
  const cases = commands.map(
    ({ name: command, options, actions }) =>
      `    ${command}) options=(${options.join(' ')}); actions=(${actions.join(' ')}) ;;`,
  );
  return `#compdef ${program}
# zsh completion of ${program}: source <(${program} completion zsh)
${name}() {
  local -a commands options actions
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case $words[2] in
${cases.join('\n')}
  esac
  (( CURRENT == 3 )) && options+=($actions)
  compadd -- $options || _files
}
compdef ${name} ${program}`;
}

function fish(program: string, commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(({ name, description, options, actions }) => [
    `complete -c ${program} -n __fish_use_subcommand -f -a ${name} -d '${singleQuoted(description)}'`,
    ...options.map(
      (option) =>
        `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -l ${option.replace(/^--/, '')}`,
    ),
    ...(actions.length === 0
      ? []
      : [`complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -f -a '${actions.join(' ')}'`]),
  ]);
  return [`# fish completion of ${program}: ${program} completion fish | source`, ...lines].join('\n');
}

function functionName(program: string): string {
  return `_${program.replaceAll(/[^a-z0-9]/g, '_')}`;
}

/** In single quotes only the quote is special. A colon would end the name in a zsh description. */
function singleQuoted(text: string): string {
  return text.replaceAll("'", '’').replaceAll(':', ' -');
}
