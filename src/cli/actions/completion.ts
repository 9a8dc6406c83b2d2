import type { Command, Option } from 'commander';
import { endOfId } from '../../kernel/ids.ts';
import type { Context } from '../context.ts';
import { explanations, Manual } from '../manual.ts';
import type { Project } from '../../project/project.ts';

/** The script that makes a shell call `complete`. */
const scripts = {
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

/** Prints the script that makes a shell call `complete`. */
export function printScript({ terminal }: Context, shell: keyof typeof scripts): Promise<number> {
  terminal.write(scripts[shell]);
  return Promise.resolve(0);
}

/** Answers the shell's request: the candidates for the last word, with descriptions. */
export async function complete(context: Context, words: readonly string[]): Promise<number> {
  const found = await candidates(context, words);
  context.terminal.write(found.map(({ value, about }) => `${value}\t${about}\n`).join(''));
  return 0;
}

/**
 * The names for an argument or option, `what`: `role`, `target`, `id`, `thread`, … `typed`: what
 * the word begins with. Empty for a project that is missing or cannot be read.
 */
async function names(context: Context, what: string, typed: string): Promise<readonly Candidate[]> {
  try {
    if (what === 'topic') return topics(context);
    if (what === 'code') return codes(context);
    if (what === 'template')
      return (await context.call.templates()).map(({ name, about }) => ({ value: name, about }));
    const root = context.root();
    return root === null ? [] : await namesIn(context.call.openProject(root), what, typed);
  } catch {
    return [];
  }
}

async function namesIn(project: Project, what: string, typed: string): Promise<readonly Candidate[]> {
  const { directoryOf } = await import('../../mail/questions/directory.ts');
  const { aboutRun } = await import('../../workflow/runs/targets.ts');
  if (typed.startsWith('@') && takesIds.has(what)) return await entries(project);
  const known = directoryOf(project.journal.state(), project.roles());
  const roles = known.roles.map((value) => ({ value, about: 'role' }));
  const turns = known.turns.map(({ id, about }) => ({ value: id, about }));
  const runs = () => project.workflows.runs().map(aboutRun);
  switch (what) {
    case 'role':
    case 'as':
      return roles;
    case 'type':
      return await types(project);
    case 'thread':
      return ids(known.threads, typed);
    case 'message':
    case 'inReplyTo':
      return ids(known.messages, typed);
    case 'run':
      return ids(runs(), typed);
    case 'gate':
      return await gates(project);
    case 'workflow':
      return (await project.workflows.names()).map((value) => ({ value, about: 'workflow' }));
    case 'id':
      return [...ids([...known.messages, ...runs()], typed), ...turns];
    case 'target': {
      const all = { value: 'all', about: 'everything' };
      return [all, ...roles, ...turns, ...ids([...known.threads, ...runs()], typed)];
    }
    default:
      return [];
  }
}

/** What `help` takes. */
function topics({ call, program }: Context): Candidate[] {
  const manual = new Manual(call.packageRoot);
  const commands = program.createHelp().visibleCommands(program);
  return [
    ...commands.map((one) => ({ value: one.name(), about: one.description() })),
    ...manual.names().map((value) => ({ value, about: 'page' })),
  ];
}

/** What `explain` takes. */
function codes({ call }: Context): Candidate[] {
  const errors = new Manual(call.packageRoot).page('errors');
  return explanations(errors).map(({ code, meaning }) => ({ value: code, about: meaning }));
}

const takesIds: ReadonlySet<string> = new Set(['id', 'run', 'target', 'thread', 'inReplyTo']);

/** Each id by its end; whole if it is typed from its beginning, or if another has the same end. */
function ids(things: readonly { id: string; about: string }[], typed: string): Candidate[] {
  const ends = things.map(({ id }) => endOfId(id));
  return things.map(({ id, about }) => {
    const end = endOfId(id);
    const isShort = end.startsWith(typed) && ends.indexOf(end) === ends.lastIndexOf(end);
    return { value: isShort ? end : id, about: about.replaceAll(/\s+/g, ' ') };
  });
}

/** What waits for people, by the numbers of the inbox. */
async function entries(project: Project): Promise<readonly Candidate[]> {
  const { readInbox } = await import('../../mail/questions/inbox.ts');
  const { items } = await readInbox(project, null);
  return items.map(({ from, type, subject }, index) => ({
    value: `@${String(index + 1)}`,
    about: `${type} from ${from}: ${subject.replaceAll(/\s+/g, ' ')}`,
  }));
}

async function gates(project: Project): Promise<readonly Candidate[]> {
  const { runs } = await project.workflows.status(project.holder());
  return runs.flatMap((run) => run.gates.map(({ gate, message }) => ({ value: gate, about: message })));
}

async function types(project: Project): Promise<readonly Candidate[]> {
  const definition = await project.definition();
  if (!definition.ok) return [];
  return [...definition.value.protocol.types.values()].map(({ name, from, to }) => ({
    value: name,
    about: `${from.join(', ')} → ${to.join(', ')}`,
  }));
}

/** One candidate for the next word of the command line. */
interface Candidate {
  readonly value: string;
  readonly about: string;
}

/**
 * The candidates for the last word. Empty: the shell may offer files. `words` follow the program's
 * name; the last one is incomplete and may be empty.
 */
async function candidates(context: Context, words: readonly string[]): Promise<Candidate[]> {
  const typed = words.at(-1) ?? '';
  const all = await possible(context, typed, follow(context.program, words.slice(0, -1)));
  return all.filter(({ value }) => value.startsWith(typed));
}

interface Position {
  readonly command: Command;
  /** The number of complete arguments of the command. */
  readonly given: number;
  /** The option whose value is being typed. */
  readonly pending: Option | null;
}

async function possible(
  context: Context,
  typed: string,
  { command, given, pending }: Position,
): Promise<readonly Candidate[]> {
  const { program } = context;
  if (pending) return await names(context, pending.attributeName(), typed);
  if (typed.startsWith('-')) {
    const options = command === program ? program.options : [...command.options, ...program.options];
    return options.flatMap(({ long, description }) => (long ? { value: long, about: description } : []));
  }
  if (command === program)
    return program
      .createHelp()
      .visibleCommands(program)
      .map((one) => ({ value: one.name(), about: one.description() }));
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[given] ?? (last?.variadic === true ? last : undefined);
  if (!argument) return [];
  if (argument.argChoices) return argument.argChoices.map((value) => ({ value, about: '' }));
  return await names(context, argument.name(), typed);
}

/** The command that the words select, and the position that they reach in it. */
function follow(program: Command, words: readonly string[]): Position {
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
