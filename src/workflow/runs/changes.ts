import { shortId } from '../../kernel/ids.ts';
import { isJsonObject } from '../../kernel/json.ts';
import type { Ending, RunEvent } from '../machine/event.ts';
import { rejecting, usualChoices } from '../reserved.ts';
import type { RunState } from '../machine/state.ts';
import { emptyLoop, lastFailure, skipText } from '../machine/view.ts';
import type { Rules } from '../machine/rules.ts';
import { endReason } from '../machine/end-reason.ts';
import { findStep } from '../machine/scope.ts';
import { duration } from '../../kernel/times.ts';
import { approveCommand } from './run-commands.ts';

/** One change of a run, in words. */
export interface RunChange {
  readonly kind: 'started' | 'good' | 'bad' | 'again' | 'skipped' | 'notice';
  readonly text: string;
}

/**
 * The change that an event means to a person who watches; null: none. `state`: the one after it.
 */
export function describeRunEvent(event: RunEvent, state: RunState, rules: Rules): RunChange | null {
  switch (event.type) {
    case 'started': {
      const { attempt = 1, iteration = 1 } = state.steps.get(event.path) ?? {};
      const round = iteration > 1 ? `, round ${String(iteration)}` : '';
      return {
        kind: 'started',
        text: `${event.path}${round}${attempt > 1 ? `, attempt ${String(attempt)}` : ''}`,
      };
    }
    case 'checking':
      return { kind: 'started', text: checking(event.path, isSummarised(state, rules, event.path)) };
    case 'retrying':
      return { kind: 'again', text: retrying(event, state, rules) };
    case 'iterating':
      return { kind: 'again', text: `${event.path} is incomplete${because(event.reasons)}` };
    case 'skipped':
      return { kind: 'skipped', text: `${event.path} SKIPPED: ${skipText(event.reason)}` };
    case 'settled':
      return settled(event, state);
    case 'ending':
      return event.scope === '' ? { kind: 'bad', text: describeEnding(event.ending) } : null;
    default:
      return describeForPeople(event, state);
  }
}

/** What people must do in a run, have done, or must know outside it. */
function describeForPeople(event: RunEvent, state: RunState): RunChange | null {
  switch (event.type) {
    case 'asked':
      return {
        kind: 'notice',
        text: `${event.path} asks: ${event.message} (\`${approveCommand(state.given?.run ?? '', event.path, event)}\`)`,
      };
    case 'judged':
      return { kind: 'notice', text: `${event.path} ${answered(event)}` };
    case 'paused':
      return { kind: 'notice', text: `${event.on ? 'paused' : 'unpaused'} by ${event.by}` };
    case 'hooked':
      return event.problem === null ? null : { kind: 'bad', text: `hook on_${event.on}: ${event.problem}` };
    case 'rolled-back':
      return rolledBack(event);
    case 'controlled':
      return { kind: 'bad', text: refusedCommand(event) };
    default:
      return null;
  }
}

/** The person who asked may have left before a host read the command. */
export function refusedCommand({ verb, by, refusal }: Of<'controlled'>): string {
  return `${verb} by ${by} is refused: ${refusal.text}`;
}

/**
 * The change that an event means to a person who watches many runs: starts, ends, and requests to
 * people; null: none.
 */
export function describeOneOfRuns(event: RunEvent, state: RunState): RunChange | null {
  const { given } = state;
  if (given === null) return null;
  const name = `run ${shortId(given.run)} of ${given.workflow}`;
  switch (event.type) {
    case 'began': {
      const by = isJsonObject(given.trigger) ? given.trigger['name'] : null;
      return { kind: 'started', text: typeof by === 'string' ? `${name} begins: ${by}` : `${name} begins` };
    }
    case 'resumed':
      return { kind: 'started', text: `${name} continues` };
    case 'closed': {
      const kind = event.status === 'SUCCEEDED' ? 'good' : 'bad';
      return { kind, text: `${name} ${endText(state)}` };
    }
    default: {
      const change = describeForPeople(event, state);
      return change && { ...change, text: `${name}: ${change.text}` };
    }
  }
}

/** How a run has ended, after how long, and why. */
export function endText(state: RunState): string {
  const { status, startedAt, endedAt } = state;
  const took = startedAt === null || endedAt === null ? 0 : endedAt - startedAt;
  const reason = endReason(state);
  return `${status} in ${duration(took)}${reason === null ? '' : `: ${reason}`}`;
}

function answered({ choice, by, comment }: Of<'judged'>): string {
  const said = comment === null ? '' : `: ${comment}`;
  if (!usualChoices.includes(choice)) return `is answered by ${by} with \`${choice}\`${said}`;
  return `is ${choice === rejecting ? 'rejected' : 'approved'} by ${by}${said}`;
}

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

/** Whether the work of a step is followed by its summary, not by a check. */
export function isSummarised(state: RunState, rules: Rules, path: string): boolean {
  return findStep(state, rules, path)?.rule.step.check?.purpose === 'summary';
}

function checking(path: string, isSummary: boolean): string {
  return isSummary ? `${path}: summarizing` : `${path}: is it complete?`;
}

function retrying(event: Of<'retrying'>, state: RunState, rules: Rules): string {
  const { path, what, at, notBefore, provider } = event;
  const wait = notBefore > at ? ` in ${duration(notBefore - at)}` : '';
  const ofCheck = isSummarised(state, rules, path) ? `the summary of ${path}` : `the check of ${path}`;
  const subject = what === 'check' ? ofCheck : path;
  if (provider !== null) return `${subject} waits: ${provider} is rate limited${wait}`;
  const failure = what === 'worker' ? lastFailure(state, path) : null;
  return `${subject} is tried again${wait}${failure === null ? '' : `: ${failure.reason.text}`}`;
}

function settled({ path, status, reason, ends, at }: Of<'settled'>, state: RunState): RunChange {
  const run = state.steps.get(path);
  const startedAt = run?.startedAt ?? at;
  const why = reason?.text ?? (run && emptyLoop(run)) ?? null;
  const kind = status === 'SUCCEEDED' ? 'good' : 'bad';
  return {
    kind,
    text: `${path} ${status} in ${duration(at - startedAt)}${why === null ? '' : `: ${why}`}${ends === '' ? '; the run ends' : ''}`,
  };
}

function rolledBack({ over, files, problem }: Of<'rolled-back'>): RunChange | null {
  if (!over) return null;
  if (problem !== null) return { kind: 'bad', text: `not rolled back: ${problem}` };
  const count = `${String(files)} ${files === 1 ? 'file' : 'files'}`;
  return {
    kind: 'notice',
    text: `rolled back: ${count} as before the run; rolled-back.patch has what was undone`,
  };
}

function because(reasons: readonly string[]): string {
  return reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
}

function describeEnding(ending: Ending): string {
  switch (ending.why) {
    case 'aborted':
      return `the run ends: ${ending.reason.text}`;
    case 'timed-out':
      return 'the run ends: its time is over';
    case 'cancelled':
      return `the run ends: cancelled by ${ending.by}`;
  }
}
