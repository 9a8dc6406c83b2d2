import { hasDoubledKey, isJsonObject, parseJson } from '../kernel/json.ts';
import { figure } from './events.ts';
import { interrupted } from './exits.ts';
import { latest } from './limits.ts';
import type { ProviderOptions } from './options.ts';
import { because, limited, never, transient } from './outcomes.ts';
import { unknownUsage, unreadableUsage } from './prices.ts';
import { obeyedBy } from './repository-settings.ts';
import { environment } from './variables.ts';
import type { Usage } from '../kernel/cost.ts';
import type { Exit, Outcome, Provider } from './provider.ts';

/** EX_TEMPFAIL of sysexits.h ("try again later"), used here for a usage limit. */
const temporaryFailure = 75;

/**
 * Runs any program. It receives the prompt on standard input and the turn in the variables of
 * `variables()`; its standard output is the final text, and its exit code decides the outcome:
 *
 * | exit code | outcome | |---|---| | 0 | done | | 1 | later | | 75 (EX_TEMPFAIL) | later: a usage
 * limit, which costs no retry | | 124, or Mailroom's timeout | later, `E_TIMEOUT` | | 126, 127 |
 * never: cannot be executed, command not found | | 2 and all others | never | | ended by a signal |
 * later |
 *
 * The last lines of standard error can add `retry-after: <seconds>` (with 75) and `usage: {"usd":
 * 0.02, "tokens": 1200}`. The author has chosen the program: its permissions are not restricted
 * here.
 */
export function commandProvider(options: ProviderOptions): Provider {
  const program = options.command[0] ?? options.name;
  const obeys = obeyedBy(program);
  return {
    name: options.name,
    sessions: false,
    restrict: () => ({ exact: true, broaderThanRequested: [] }),
    notEnforced: ['max_steps', 'max_command_time', 'variant'],
    tools: false,
    mcp: 'its author says what it connects to; it gets no MCP servers from Mailroom',
    ...(obeys !== null && { obeys }),
    start: (invocation) => ({
      argv: [...options.command, ...options.arguments],
      env: environment(invocation),
      inherit: options.inherit,
      stdin: invocation.prompt,
      files: {},
      writable: options.writable,
    }),
    read: (exit, _invocation, now) => read(exit, program, now),
  };
}

function read(exit: Exit, program: string, now: number): Outcome {
  const said = trailers(exit.stderr);
  const outcome = interrupted(exit, program) ?? byCode(exit, program, said, now);
  return { ...outcome, usage: said.usage };
}

function byCode(exit: Exit, program: string, said: Trailers, now: number): Outcome {
  const problem = because(`${program} ended with exit code ${exit.code}`, said.rest);
  switch (exit.code) {
    case 0:
      return { is: 'done', text: exit.stdout, session: null, usage: said.usage, model: null, denials: [] };
    case 1:
      return transient(problem);
    case temporaryFailure:
      return limited(
        because(`${program} has reached its usage limit`, said.rest),
        latest(now, said.retryAfterMs),
      );
    case 124:
      return transient(because(`${program} timed out`, said.rest), unknownUsage, 'E_TIMEOUT');
    default:
      return never(problem, unknownUsage, 'E_TURN');
  }
}

interface Trailers {
  readonly retryAfterMs: number | null;
  readonly usage: Usage;
  /** Standard error without the trailers. */
  readonly rest: string;
}

/**
 * The known `key: value` lines at the very end of standard error; blank lines between them do not
 * count.
 */
function trailers(stderr: string): Trailers {
  const lines = stderr.slice(-16_384).trimEnd().split('\n');
  let retryAfterMs: number | null = null;
  let usage: Usage | null = null;
  for (let line = lines.at(-1); line !== undefined; line = lines.at(-1)) {
    const [, key, value = ''] = /^(retry-after|usage):\s*(\S.*)$/i.exec(line.trim()) ?? [];
    if (key === undefined && line.trim() !== '') break;
    if (key?.toLowerCase() === 'retry-after') retryAfterMs = milliseconds(value);
    if (key?.toLowerCase() === 'usage') usage = usage === null ? usageIn(value) : unreadableUsage;
    lines.pop();
  }
  return { retryAfterMs, usage: usage ?? unknownUsage, rest: lines.join('\n') };
}

function milliseconds(seconds: string): number | null {
  return /^\d+(\.\d+)?$/.test(seconds) ? Number(seconds) * 1000 : null;
}

/** One that cannot be read has figures that do not count (see `figure`). */
function usageIn(text: string): Usage {
  const value = parseJson(text);
  if (!isJsonObject(value) || hasDoubledKey(text)) return unreadableUsage;
  return { usd: figure(value['usd']), tokens: figure(value['tokens']) };
}
