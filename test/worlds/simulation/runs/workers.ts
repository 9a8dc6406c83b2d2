import type { Random } from '../random.ts';
import { decisionVariable, inVariable, outVariable } from './definitions.ts';
import type { Exit, Outcome, Provider } from '../../../../src/providers/provider.ts';
import type { ProcessJob } from '../../../../src/host/runner/runner.ts';

/** How one process goes: what it puts into its workspace when, and how it ends by itself. */
export interface Play {
  readonly lasts: number;
  readonly exit: Exit;
  /** It is a check, not the worker. */
  readonly check: boolean;
  /** The folder that it makes its artifact in, relative to its workspace; null: it makes none. */
  readonly makes: string | null;
  /** Where its input should lie; null: it has none. */
  readonly reads: string | null;
  /** Files that it leaves at its end, by their absolute path. */
  readonly leaves: Readonly<Record<string, string>>;
}

/** Decides how a process goes. `calm`: everything goes well. */
export function playOf(random: Random, job: ProcessJob, calm: boolean, now: number): Play {
  const { env } = job.command;
  const check = env['MAILROOM_COMPLETION_CHECK_ID'] !== undefined;
  const lasts = random.below(random.pick([50, 2_000, calm ? 2_000 : 200_000]));
  const common = { check, makes: env[outVariable] ?? null, reads: env[inVariable] ?? null };
  const late = job.totalMs !== null && lasts >= job.totalMs;
  if (late)
    return {
      ...common,
      lasts: job.totalMs,
      exit: ended('total-timeout', null, job, random, now),
      leaves: {},
    };
  const isSilent = !calm && job.idleMs !== null && random.chance(0.3);
  if (isSilent && job.idleMs !== null && lasts > job.idleMs)
    return {
      ...common,
      lasts: job.idleMs,
      exit: ended('idle-timeout', null, job, random, now),
      makes: null,
      leaves: {},
    };
  if (check) return { ...common, ...checkPlay(random, job, calm, now), lasts, makes: null };
  const code = calm ? 0 : random.chance(0.85) ? 0 : random.pick([1, 1, 1, 2, 127, 3, null]);
  const how = !calm && random.chance(0.01) ? 'spawn-failed' : 'exited';
  const good = code === 0 && how === 'exited';
  const exit = ended(how, code, job, random, now);
  const values = random.chance(0.6) ? JSON.stringify({ v: random.below(2) }) : '{"v": 1}';
  const file = random.chance(0.03) && !calm ? '{"v":' : values;
  const leaves = random.chance(0.7) ? { [env['MAILROOM_VALUES'] ?? '']: file } : {};
  const makes = good ? common.makes : random.chance(0.5) ? common.makes : null;
  return { ...common, lasts, exit, leaves, makes };
}

function checkPlay(
  random: Random,
  job: ProcessJob,
  calm: boolean,
  now: number,
): Pick<Play, 'exit' | 'leaves'> {
  const { env } = job.command;
  const complete = calm || random.chance(0.6);
  const bad = !calm && random.chance(0.1);
  const code = bad ? random.pick([2, 5, null]) : complete ? 0 : 1;
  const id = random.chance(0.1) && !calm ? 'stale' : (env['MAILROOM_COMPLETION_CHECK_ID'] ?? '');
  const found = `finding ${String(random.below(2))}`;
  const json = {
    decision: complete ? 'complete' : 'incomplete',
    check_id: id,
    reasons: [found],
    fingerprints: [found],
  };
  const text = random.chance(0.5) ? JSON.stringify(json) : complete ? 'PASS\n' : `FAIL ${found}\n`;
  const exit = ended(
    'exited',
    job.provider !== null && code === 1 ? 0 : code,
    job,
    random,
    now,
    JSON.stringify(json),
  );
  const decision = env[decisionVariable];
  if (decision === undefined) return { exit, leaves: {} };
  return { exit, leaves: bad ? {} : { [`${job.workspace}/${decision}`]: text } };
}

/** What an agent reports before its end. */
export const firstUsage = { usd: 0.001, tokens: 1 };

export const firstAnswer = JSON.stringify({
  is: 'later',
  class: 'RETRYABLE_TRANSIENT',
  reason: { code: 'E_TURN', text: 'it was ended' },
  until: null,
  usage: firstUsage,
  session: null,
});

/** An agent's program says in its output what its provider should make of it. */
function ended(
  how: Exit['ended'],
  code: number | null,
  job: ProcessJob,
  random: Random,
  now: number,
  answer = 'done',
): Exit {
  const stdout =
    job.provider === null ? 'finding 1\n' : JSON.stringify(outcomeOf(how, code, random, now, answer));
  return {
    code,
    signal: null,
    ended: how,
    error: null,
    stdout,
    stderr: 'it broke',
    durationMs: 10,
    edits: null,
  };
}

function outcomeOf(
  how: Exit['ended'],
  code: number | null,
  random: Random,
  now: number,
  answer: string,
): Outcome {
  const usage = { usd: 0.01, tokens: 10 };
  if (how === 'exited' && code === 0)
    return {
      is: 'done',
      text: `\`\`\`json\n${answer}\n\`\`\``,
      session: null,
      usage,
      model: null,
      denials: [],
    };
  const kind = random.below(3);
  const reason = { code: 'E_TURN', text: `trouble ${String(kind)}` } as const;
  if (code === 2 && kind === 0)
    return { is: 'never', reason: { code: 'E_LOGIN', text: 'log in' }, usage, session: null };
  if (code === 2) return { is: 'never', reason, usage, session: null };
  const until = code === 3 ? random.pick([null, now + random.below(60_000), now - 1_000]) : null;
  const errorClass = code === 3 ? 'RETRYABLE_RATE_LIMIT' : 'RETRYABLE_TRANSIENT';
  return { is: 'later', class: errorClass, reason, until, usage, session: null };
}

export function stopped(): Exit {
  return {
    code: null,
    signal: 'SIGTERM',
    ended: 'stopped',
    error: null,
    stdout: '',
    stderr: '',
    durationMs: 10,
    edits: null,
  };
}

/** Agents without a program. */
export function simulatedProvider(name: string): Provider {
  return {
    name,
    sessions: false,
    restrict: () => ({ exact: true, broaderThanRequested: [] }),
    notEnforced: [],
    mcp: true,
    start: ({ env }) => ({ argv: [name], env, inherit: [], stdin: '', files: {}, writable: [] }),
    read: ({ stdout }) =>
      stdout === ''
        ? {
            is: 'later',
            class: 'RETRYABLE_TRANSIENT',
            reason: { code: 'E_TURN', text: 'it was ended' },
            until: null,
            usage: { usd: null, tokens: null },
            session: null,
          }
        : (JSON.parse(stdout) as Outcome),
  };
}
