import { noteVerdict } from '../../kernel/commands.ts';
import { park } from '../../kernel/usage-limits.ts';
import { seenKey } from '../../expressions/evaluate.ts';
import { verdictIn } from './commands.ts';
import type { RunEvent, Fact, Happening } from './event.ts';
import { complete, expand, leave, open, reopen, sweep } from './fold/bodies.ts';
import { begin, cancel, close, resume, retryStep, setClock, suspend, update } from './fold/runs.ts';
import { endBody, settleStep, skip } from './fold/settle.ts';
import { current, enter, isIn, put } from './fold/steps.ts';
import {
  answer,
  ask,
  check,
  end,
  iterate,
  judge,
  assign,
  launch,
  post,
  putBack,
  retry,
  roleWaits,
  start,
} from './fold/work.ts';
import type { RunState } from './state.ts';

/**
 * Folds one event into the state. Total: an event that no longer fits (its step has moved on, its
 * run has ended) changes only the clock. Consumes the state: it is changed in place and returned.
 */
export function apply(state: RunState, event: RunEvent): RunState {
  const before = state.now;
  state.now = Math.max(state.now, event.at);
  state.events += 1;
  fold(state, event, before);
  const verdict = verdictIn(event);
  if (verdict !== null) noteVerdict(state.commands, verdict.id);
  return state;
}

function fold(state: RunState, event: RunEvent, before: number): void {
  switch (event.type) {
    case 'began':
      return begin(state, event.given);
    case 'resumed':
      return resume(state, event, before);
    case 'opened':
      return open(state, event);
    case 'readied':
      return ready(state, event.paths);
    case 'skipped':
      return skip(state, event);
    case 'settled':
      return settleStep(state, event);
    case 'looking':
      return look(state, event);
    case 'looked':
      return seen(state, event);
    case 'expanded':
      return expand(state, event);
    case 'completed':
      return complete(state, event);
    case 'left':
      return leave(state, event);
    case 'ending':
      return endBody(state, event.scope, event.ending);
    case 'swept':
      return sweep(state, event);
    case 'reopened':
      return reopen(state, event);
    case 'retried':
      return retryStep(state, event);
    case 'updated':
      return update(state, event);
    case 'cancelled':
      return cancel(state, event);
    case 'paused':
      state.paused = event.on ? { by: event.by, at: state.now } : null;
      return;
    case 'clocked':
      return setClock(state, event);
    case 'suspended':
      return suspend(state, event);
    case 'parked':
      park(state, event);
      return;
    case 'closed':
      return close(state, event);
    case 'hooked':
      state.hooks.set(event.on, { over: event.over, problem: event.problem });
      return;
    case 'rolled-back':
      state.rollback = { over: event.over, files: event.files, problem: event.problem };
      return;
    case 'controlled':
      return;
    default:
      return foldWork(state, event);
  }
}

type Work =
  | 'started'
  | 'launched'
  | 'assigned'
  | 'posted'
  | 'role-waits'
  | 'ended'
  | 'put-back'
  | 'checking'
  | 'checked'
  | 'retrying'
  | 'iterating'
  | 'asked'
  | 'judged';

/** Folds an event of a step that is neither waiting for others nor settled. */
function foldWork(state: RunState, event: Extract<RunEvent, { type: Work }>): void {
  switch (event.type) {
    case 'started':
      return start(state, event);
    case 'launched':
      return launch(state, event);
    case 'assigned':
      return assign(state, event);
    case 'posted':
      return post(state, event);
    case 'role-waits':
      return roleWaits(state, event);
    case 'ended':
      return end(state, event);
    case 'put-back': {
      const run = current(state, event.key);
      return run === null ? undefined : putBack(state, run, event.used);
    }
    case 'checking':
      return check(state, event);
    case 'checked':
      return judge(state, event);
    case 'retrying':
      return retry(state, event);
    case 'iterating':
      return iterate(state, event);
    case 'asked':
      return ask(state, event);
    case 'judged':
      return answer(state, event);
    default:
      return event satisfies never;
  }
}

function ready(state: RunState, paths: readonly string[]): void {
  for (const path of paths)
    if (state.dirty.delete(path) && state.steps.get(path)?.phase.is !== 'settled') state.ready.add(path);
}

type Of<T extends (Fact | Happening)['type']> = Extract<Fact | Happening, { type: T }>;

/** A step waits for a file lookup. */
function look(state: RunState, { path, asks, file }: Of<'looking'>): void {
  const run = enter(state, path);
  if (!isIn(run, 'pending', 'waiting', 'open')) return;
  put(state, run, { is: 'looking', asks, file, before: run.phase, problem: null }, false);
}

/** A file lookup has a result: the step is considered again. */
function seen(state: RunState, { path, asks, file, answer: found, problem }: Of<'looked'>): void {
  const run = state.steps.get(path);
  if (!isIn(run, 'looking') || run.phase.asks !== asks || run.phase.file !== file) return;
  if (problem !== null) return put(state, run, { ...run.phase, problem }, true);
  run.looks = { ...run.looks, [seenKey(asks, file)]: found };
  const { before } = run.phase;
  put(state, run, before, before.is !== 'waiting');
  if (before.is === 'pending') state.active.delete(path);
}
