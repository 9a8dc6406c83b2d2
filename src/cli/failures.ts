import { CommanderError } from 'commander';
import { errorCodes, MailroomError, messageOf } from '../kernel/errors.ts';
import { errorDocument, errorText, ProblemsError } from '../project/definition/problems.ts';
import { asCalled } from './called.ts';
import { printable } from './format.ts';
import { json as asJson } from './output.ts';
import type { Colours, Terminal } from './terminal.ts';
import { usageFailure, type Called } from './usage.ts';

/** How to report a failure. */
interface FailureOptions {
  readonly json: boolean;
  readonly debug: boolean;
  readonly called: Called;
}

/**
 * Reports a failure and returns the exit code: for people on standard error, for programs as one
 * document on standard output. Shows a stack only with `--debug`.
 */
export function reportFailure(
  error: unknown,
  terminal: Terminal,
  { json, debug, called }: FailureOptions,
): number {
  const failure = asFailure(error, debug, called);
  const text = asCalled(printable(errorText(failure)), called.name);
  if (json) terminal.write(asJson(errorDocument(failure)));
  else terminal.complain(`${paintDiagnostics(text, terminal.errorColours)}\n`);
  if (debug && error instanceof Error) terminal.complain(`${printable(stackOf(error))}\n`);
  return exitCodeOf(failure);
}

/** Errors in a definition are found before anything starts. */
function exitCodeOf(failure: MailroomError): number {
  if (!(failure instanceof ProblemsError)) return errorCodes[failure.code];
  return failure.problems.some(({ code }) => code === 'E_PATH') ? 3 : 2;
}

function asFailure(error: unknown, debug: boolean, called: Called): MailroomError {
  if (error instanceof MailroomError) return error;
  if (error instanceof CommanderError) return usageFailure(error, called);
  const message = messageOf(error);
  const hint = debug ? null : 'this is a bug; the same command with --debug shows where';
  return new MailroomError('E_INTERNAL', message, hint);
}

/** Shows diagnostics on standard error, with an empty line after them; nothing without any. */
export function complainOf(text: string, terminal: Terminal): void {
  if (text !== '') terminal.complain(`${paintDiagnostics(printable(text), terminal.errorColours)}\n\n`);
}

/** Error codes in red, hints dimmed; unchanged without colours. */
export function paintDiagnostics(text: string, colours: Colours): string {
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('hint: ')) return colours.dim(line);
      return line.replace(
        /^((?:\S+:\d+:\d+: )?)(error E_\w+|warning E_\w+)/,
        (_, place: string, code: string) =>
          `${colours.bold(place)}${code.startsWith('error') ? colours.red(code) : colours.yellow(code)}`,
      );
    })
    .join('\n');
}

/** The stacks of an error and of its causes. */
function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
