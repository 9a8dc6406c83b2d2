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
  if (error.code === 'commander.help') return noSuchCommand(words.at(-1) ?? '', commands);
  const text = error.message.replace(/^error: /, '').trim();
  const unknown = /^unknown command '(.*?)'/s.exec(text)?.[1];
  const option = /^unknown option '(.*?)'/s.exec(text)?.[1];
  const habit = unknown === undefined ? null : habitOf(commands, unknown);
  const [message, near] = inOwnWords(text);
  const known = habit ?? (option === undefined ? null : ownValue(otherOptions, option)) ?? near;
  const general =
    name === undefined
      ? '`mailroom --help` lists the commands and options'
      : `\`mailroom ${name} --help\` shows what it takes`;
  return new MailroomError('E_USAGE', message, known ?? general);
}

/** `mailroom help upp`: the only request for help that can be an error. */
function noSuchCommand(word: string, commands: readonly string[]): MailroomError {
  const hint = habits.get(word) ?? didYouMean(word, commands) ?? '`mailroom --help` lists the commands and options';
  return new MailroomError('E_USAGE', `unknown command \`${word}\``, hint);
}

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
