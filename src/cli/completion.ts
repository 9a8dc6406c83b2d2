import type { Command, Option } from 'commander';

/** One candidate for the next word of the command line. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/**
 * Names from the project for the kind of an argument or option: `role`, `target`, `id`, `thread`, …
 * `typed`: what the word begins with.
 */
type Names = (what: string, typed: string) => Promise<readonly Candidate[]>;

/**
 * The candidates for the last word. Empty: the shell may offer files. `words` follow the program's
 * name; the last one is incomplete and may be empty.
 */
export async function candidates(
  program: Command,
  words: readonly string[],
  names: Names,
): Promise<Candidate[]> {
  const typed = words.at(-1) ?? '';
  const { command, given, pending } = follow(program, words.slice(0, -1));
  const all = await possible(program, command, { typed, given, pending }, names);
  return all.filter(({ value }) => value.startsWith(typed));
}

interface Position {
  readonly typed: string;
  /** The number of complete arguments of the command. */
  readonly given: number;
  /** The option whose value is being typed. */
  readonly pending: Option | null;
}

async function possible(
  program: Command,
  command: Command,
  { typed, given, pending }: Position,
  names: Names,
): Promise<readonly Candidate[]> {
  if (pending) return await names(pending.attributeName(), typed);
  if (typed.startsWith('-')) {
    const options = command === program ? program.options : [...command.options, ...program.options];
    return options.map(({ long, description }) => ({ value: long ?? '', about: description }));
  }
  if (command === program)
    return program
      .createHelp()
      .visibleCommands(program)
      .map((one) => ({ value: one.name(), about: one.description() }));
  const argument = command.registeredArguments[given];
  if (!argument) return [];
  if (argument.argChoices) return argument.argChoices.map((value) => ({ value, about: '' }));
  return await names(argument.name(), typed);
}

/** The command that the words select, and the position that they reach in it. */
function follow(
  program: Command,
  words: readonly string[],
): { command: Command; given: number; pending: Option | null } {
  let command = program;
  let given = 0;
  let pending: Option | null = null;
  for (const word of words) {
    if (pending) pending = null;
    else if (word.startsWith('-') && word !== '-') pending = valueOption(program, command, word);
    else if (command === program) command = program.commands.find((one) => one.name() === word) ?? program;
    else given += 1;
  }
  return { command, given, pending };
}

/** The option that a word names, if the next word is its value. */
function valueOption(program: Command, command: Command, word: string): Option | null {
  if (word.includes('=')) return null;
  const options = [...command.options, ...program.options];
  const option = options.find(({ long, short }) => long === word || short === word);
  return option?.required === true ? option : null;
}

/** The script that makes a shell call `complete`. */
export const scripts = {
  bash: `# Put this into ~/.bashrc:  eval "$(mailroom completion bash)"
_mailroom_complete() {
  local value about entry
  local -a values=() meanings=()
  local widest=0 half=$((\${COLUMNS:-80} / 2))
  while IFS=$'\\t' read -r value about; do
    values+=("$value")
    meanings+=("$about")
    if ((\${#value} > widest)); then widest=\${#value}; fi
  done < <("$1" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=("\${values[@]}")
  # Several entries are listed, and only what all of them begin with is inserted: the values
  # differ. A menu (COMP_TYPE 37, 42) inserts a whole entry.
  if ((\${#values[@]} < 2 || COMP_TYPE == 37 || COMP_TYPE == 42)); then return; fi
  for entry in "\${!values[@]}"; do
    # Entries wider than half of the screen are listed one a line.
    printf -v value '%-*s  %s' "$widest" "\${values[entry]}" "\${meanings[entry]}"
    printf -v value '%-*s' "$half" "\${value:0:\${COLUMNS:-80} - 1}"
    COMPREPLY[entry]=$value
  done
}
complete -o default -F _mailroom_complete mailroom orchestrate
`,
  zsh: `#compdef mailroom orchestrate
# Put this into ~/.zshrc, after compinit:  eval "$(mailroom completion zsh)"
_mailroom_complete() {
  local line
  local -a found
  for line in "\${(@f)$(\${words[1]} complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n "$line" ]] && found+=("\${line%%$'\\t'*}:\${line#*$'\\t'}")
  done
  if (( \${#found} )); then
    _describe 'mailroom' found
  else
    _files
  fi
}
compdef _mailroom_complete mailroom orchestrate
`,
  fish: `# Put this into ~/.config/fish/config.fish:  mailroom completion fish | source
function __mailroom_complete
  set -l before (commandline -opc)
  set -l typed (commandline -ct)
  $before[1] complete -- $before[2..-1] "$typed" 2>/dev/null
end
complete -c mailroom -a '(__mailroom_complete)'
complete -c orchestrate -a '(__mailroom_complete)'
`,
} as const;
