import type { Command } from 'commander';

/** Collects an option that can be repeated. */
export function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** The options of every command that starts a run. */
export const heartbeatOption = [
  '--heartbeat <duration>',
  'without a terminal, report at this interval what runs; default: 1m where $CI is set, else off',
] as const;

export function withStartOptions(command: Command): Command {
  return withFollow(command)
    .option('--param <name=value>', 'set a parameter; repeatable', collect)
    .option('--input <name=value>', 'the same as --param, as the language nip calls it', collect)
    .option('--workspace <dir>', 'the working folder of its steps; default: the project')
    .option('--inherit <name>', 'pass this variable of your shell to its steps; repeatable', collect)
    .option('--context <name=value>', 'set a value of `context`; repeatable', collect)
    .option('--context-file <file>', 'read values of `context` from a JSON file')
    .option('--budget <usd=N,tokens=N>', 'stop the run at this cost')
    .option('--max-usd <n>', 'refuse to start if the worst-case cost is higher')
    .option('--max-visits <n>', 'limit how often a sequence enters one step; default 1000')
    .option('--overrides <file>', 'apply these changes to a swdl workflow; repeatable', collect)
    .option('--record <dir>', "record the agents' answers in this folder")
    .option('--replay <dir>', 'replay recorded answers instead of running agents')
    .option(
      '--follow [step]',
      'print the output of the steps, or of one (--follow=build), as it comes',
      (step) => step === '' || step,
    )
    .option(...heartbeatOption)
    .option('--plain', 'one line per event, also on a terminal')
    .option('--json', 'print one JSON document at the end');
}

/** Lets `--follow` take its step only after `=`: the next word is an argument of the command. */
function withFollow(command: Command): Command {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (words) => {
    const end = words.indexOf('--');
    return parse(
      words.map((word, at) => (word === '--follow' && (end === -1 || at < end) ? '--follow=' : word)),
    );
  };
  return command;
}
