import type { Command } from 'commander';

/** Collects an option that may be given several times. */
export function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** The options of every command that starts a run. */
export function withStartOptions(command: Command): Command {
  return command
    .option('--param <name=value>', 'a parameter; again for more', collect)
    .option('--input <name=value>', 'the same, as the language nip calls it', collect)
    .option('--workspace <dir>', 'where its steps work; default: the project')
    .option('--context <name=value>', 'a value of `context`; again for more', collect)
    .option('--context-file <file>', 'values of `context`, as JSON')
    .option('--budget <usd=N,tokens=N>', 'what the run may cost at most')
    .option('--max-usd <n>', 'do not even start when the worst case costs more')
    .option('--max-visits <n>', 'how often a step of a sequence may be entered; default 1000')
    .option('--overrides <file>', 'changes to a workflow of the language swdl; again for more', collect)
    .option('--record <dir>', 'record what its agents do into this folder')
    .option('--replay <dir>', 'let a recording answer in the place of all agents: no tokens are spent')
    .option('--plain', 'one line per event, also on a terminal')
    .option('--json', 'print one JSON document at the end');
}
