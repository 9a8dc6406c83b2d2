import type { CommanderError } from 'commander';
import { MailroomError } from '../kernel/errors.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { ownValue } from '../kernel/own.ts';
import type { Start } from './context.ts';

/** The words of a command line after the program's name, and the known commands. */
export interface Called {
  readonly name: Start['name'];
  readonly words: readonly string[];
  readonly commands: readonly string[];
}

/**
 * The error of a command line, in the wording of the rest of the program, with the correct usage.
 */
export function usageFailure(error: CommanderError, { words, commands }: Called): MailroomError {
  const name = words.find((word) => commands.includes(word));
  const text = error.message.replace(/^error: /, '').trim();
  const [message, near] = inOwnWords(text);
  const [, unknown = ''] = /^unknown (?:command|option) '(.*?)'/s.exec(text) ?? [];
  const known = ownValue(habits, unknown) ?? near;
  const general =
    name === undefined
      ? '`mailroom --help` lists the commands and options'
      : `\`mailroom ${name} --help\` shows what it takes`;
  return new MailroomError('E_USAGE', message, known ?? general);
}

const lists =
  '`mailroom status` shows roles and threads, `mailroom runs` the runs, `mailroom inbox` what waits for you';
const logs = '`mailroom logs <run or turn>` prints the output, with `-f` as it comes';
const files = 'edit mailroom.yaml and protocols/; `mailroom check` says whether they are right';
const past = '`mailroom trail` shows all messages, `mailroom runs` the runs';
const cancels = '`mailroom cancel <run, turn or thread>` ends it; `mailroom stop` ends the controller';
const refuses = '`mailroom reject <run>` refuses a gate, `mailroom reply` answers a request';
const removes = '`mailroom prune` removes what is old; `mailroom cancel <run, turn or thread>` ends work';
const plans = '`mailroom plan <workflow>` shows what a run would do';

/** What people type who know other programs, and what it is called here. */
export const habits: Readonly<Record<string, string>> = {
  abort: cancels,
  accept: '`mailroom approve <run>` approves a gate, `mailroom reply` answers a request',
  answer: '`mailroom reply <message>` answers a request, `mailroom approve <run>` a gate',
  ask: '`mailroom send <role> --message <text>` sends a message',
  attach: logs,
  clean: removes,
  config: files,
  create: '`mailroom init <folder>` makes a project',
  deny: refuses,
  delete: removes,
  diff: '`mailroom show <message> --diff` shows what the work of a message changes',
  'dry-run': plans,
  '--dry-run': plans,
  edit: files,
  exec: '`mailroom run <workflow>` runs a workflow, `mailroom run-step <workflow> <step>` a step',
  gc: removes,
  history: past,
  kill: cancels,
  lint: '`mailroom check` checks the project, `mailroom validate` workflows',
  list: lists,
  log: logs,
  ls: lists,
  merge: '`mailroom worktree merge <thread>` merges the work of a thread',
  new: '`mailroom init <folder>` makes a project',
  ps: lists,
  restart: '`mailroom retry <message or run>` tries a failure again, `mailroom resume <run>` continues a run',
  revert: '`mailroom undo <message, thread or run>` takes back what it has landed',
  rm: removes,
  rollback: '`mailroom undo <message, thread or run>` takes back what it has landed',
  start:
    '`mailroom up` starts the team, `mailroom send <role>` gives it work, `mailroom run <workflow>` runs a workflow',
  tail: logs,
  test: '`mailroom check` checks the project, `mailroom plan <workflow>` shows what a run would do',
  ui: '`mailroom serve --open` opens the page, `mailroom up --serve` has it while the team works',
  web: '`mailroom serve --open` opens the page, `mailroom up --serve` has it while the team works',
};

/** The likely intention of an argument to a command without arguments. */
const instead: Readonly<Record<string, string>> = {
  runs: '`mailroom show <run>` shows one run, `mailroom logs <run>` what its steps printed',
  workflows: '`mailroom show <workflow>` shows one workflow',
};

/** The library's message, reworded, and its hint. An unknown message stays unchanged. */
function inOwnWords(text: string): [message: string, hint: string | null] {
  const near = /^(.*?)\s*\(Did you mean (?:one of )?(.+?)\?\)$/s.exec(text);
  if (near) return [ticked(near[1] ?? ''), `did you mean \`${near[2] ?? ''}\`?`];
  const choice =
    /^(?:option '(.+?)' argument|command-argument value) '(.*?)' is invalid(?: for argument '(.+?)')?\. Allowed choices are (.+)\.$/s.exec(
      text,
    );
  if (choice) {
    const [, option, value = '', argument, list = ''] = choice;
    const place = option === undefined ? `<${argument ?? ''}>` : `\`${option}\``;
    return [
      `\`${value}\` is not a value of ${place}`,
      didYouMean(value, list.split(', ')) ?? `one of ${list}`,
    ];
  }
  const excess = /^too many arguments for '(.+)'\. Expected (\d+) .* got (\d+)\.$/.exec(text);
  if (excess) {
    const [, name = '', most = '', given = ''] = excess;
    const takes =
      most === '0' ? 'takes no arguments' : `takes at most ${most} argument${most === '1' ? '' : 's'}`;
    return [`\`${name}\` ${takes}, and got ${given}`, ownValue(instead, name) ?? null];
  }
  const missing = /^missing required argument '(.+)'$/.exec(text);
  return [missing ? `<${missing[1] ?? ''}> is missing` : ticked(text.replace(/\.$/, '')), null];
}

/** Replaces 'words' by `words`. */
function ticked(text: string): string {
  return text.replaceAll(/'([^']*)'/g, '`$1`');
}
