import { commandsFrom } from '../called.ts';
import type { Context } from '../context.ts';
import { ahead, clock, line, short, since } from '../format.ts';
import { idOf } from '../ids.ts';
import { answer, type AsJson } from '../output.ts';
import type { WhyDocument } from '../../documents/mail.ts';

export async function runWhy(context: Context, word: string, options: AsJson): Promise<number> {
  const { why } = await import('../../mail/questions/why.ts');
  const { terminal } = context;
  const id = await idOf(context, word, ['message', 'gate', 'thread', 'run']);
  const document = await why(context.project(), id, terminal.now());
  return answer(terminal, options, document, () => whyLines(context, document));
}

/** The sentence, then what caused it, when it ends, and the command that changes it. */
function whyLines(context: Context, document: WhyDocument): string[] {
  const { terminal } = context;
  const { reason, state, cause, until, command, sub_threads: children } = document;
  const { colours } = terminal;
  const now = terminal.now();
  return [
    colours.bold(/[.?!\u2026]$/.test(reason) ? line(reason) : `${line(reason)}.`),
    `  state    ${line(state)}`,
    ...(cause === null
      ? []
      : [
          `  cause    ${line(recordWord(cause.record))}, ${clock(cause.at, now)} (${since(cause.at, now)} ago)`,
        ]),
    ...(until === null ? [] : [`  until    ${clock(until, now)} (in ${ahead(until, now)})`]),
    ...(command === null
      ? []
      : commandsFrom(context, command).map((each) => `  command  ${colours.cyan(each)}`)),
    ...children.flatMap((child) => [
      line(`  sub-thread ${short(child.thread)}, ${child.subject}: ${child.reason}`),
      ...commandsFrom(context, child.command).map((each) => `    command  ${colours.cyan(each)}`),
    ]),
  ];
}

/** IDs as people see and type them; turns and steps by their names. */
function recordWord(record: string): string {
  return /^[\da-f]{8}-[\da-f]{4}-/.test(record) ? short(record) : record;
}
