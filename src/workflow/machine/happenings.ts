import { apply } from './apply.ts';
import type { ProcessKey, RunEvent, StepPath } from './event.ts';
import { isIn } from './fold/steps.ts';
import type { RunState } from './state.ts';
import { lastFailure, reasonOf, skipText, warningsOfSettled } from './view.ts';
import type { WorkResult } from './work-result.ts';
import { rejecting } from '../reserved.ts';

/** What happened by an event. Times are milliseconds since 1970. */
export interface Happenings {
  /** For those who follow a run, in this order; mostly nothing or one thing. */
  readonly news: readonly News[];
  /** The processes that ended. */
  readonly attempts: readonly EndedAttempt[];
  /** A gate that is over, by an answer or without one; null: none. */
  readonly gate: StepPath | null;
}

interface News {
  readonly what:
    | `run_${'started' | 'resumed' | 'paused' | 'unpaused' | 'completed' | 'failed' | 'cancelled' | 'timed_out'}`
    | `stage_${'started' | 'progress' | 'retry' | 'completed' | 'failed' | 'skipped'}`
    | `gate_${'asked' | 'approved' | 'rejected' | 'timed_out'}`
    | 'summary'
    | 'hook_failed'
    | 'warning'
    | 'rolled_back';
  readonly level?: 'warning' | 'error';
  /** Missing: it concerns the whole run. */
  readonly path?: StepPath;
  readonly reason?: string | null;
  /** The person who did it. */
  readonly by?: string;
  /** Of a retry: when; of a gate: its deadline. */
  readonly until?: number | null;
}

export interface EndedAttempt extends ProcessKey {
  readonly from: number;
  readonly to: number;
  /** Null: no agent worked. */
  readonly provider: string | null;
  /** Null: it was stopped. */
  readonly result: WorkResult | null;
}

/** Folds an event into the state, and finds what happened. */
export function happenings(state: RunState, event: RunEvent): Happenings {
  const asked = 'path' in event && isIn(state.steps.get(event.path), 'asked') ? event.path : null;
  const attempts = processesOf(state, event);
  const isFirst = event.type === 'resumed' && !hasBegun(state);
  apply(state, event);
  const isHere = (path: StepPath, ...phases: ('asked' | 'running' | 'checking')[]) =>
    isIn(state.steps.get(path), ...phases);
  const gate = asked !== null && !isHere(asked, 'asked') ? asked : null;
  return {
    news: isFirst ? [] : newsOf(event, state, gate),
    attempts: attempts.filter(({ path }) => !isHere(path, 'running', 'checking')),
    gate,
  };
}

/** A run begun for another process is taken by that one as if it were resumed. */
function hasBegun({ steps }: RunState): boolean {
  return [...steps.values()].some(({ startedAt }) => startedAt !== null);
}

/** The processes that an event may end. */
function processesOf({ steps, active, now }: RunState, event: RunEvent): EndedAttempt[] {
  const ofMany = event.type === 'resumed' || event.type === 'swept' || event.type === 'reopened';
  const paths = 'key' in event ? [event.key.path] : ofMany ? [...active] : [];
  // Nothing ran between the end of one host and the start of the next.
  const to = event.type === 'resumed' ? now : event.at;
  const result = 'result' in event ? event.result : null;
  return paths.flatMap((path) => {
    const run = steps.get(path);
    if (!isIn(run, 'running', 'checking')) return [];
    const { iteration, attempt, checks, phase } = run;
    const check = phase.is === 'checking' ? checks : 0;
    return [{ path, iteration, attempt, check, from: phase.since, to, provider: phase.provider, result }];
  });
}

function newsOf(event: RunEvent, state: RunState, gate: StepPath | null): News[] {
  switch (event.type) {
    case 'started':
      return [{ what: 'stage_started', path: event.path }];
    case 'expanded':
    case 'checking':
    case 'completed':
      return [{ what: 'stage_progress', path: event.path }];
    case 'iterating':
      return [{ what: 'stage_progress', path: event.path, reason: event.reasons.join('; ') || null }];
    case 'retrying': {
      const { path, notBefore: until } = event;
      const reason = lastFailure(state, path)?.reason.text ?? null;
      return [{ what: 'stage_retry', level: 'warning', path, reason, until }];
    }
    case 'retried':
      return [{ what: 'stage_progress', path: event.path, by: event.by }];
    case 'asked':
      return [{ what: 'gate_asked', path: event.path, reason: event.message, until: event.deadline }];
    case 'judged': {
      const { path, choice, by, comment: reason } = event;
      return [{ what: choice === rejecting ? 'gate_rejected' : 'gate_approved', path, by, reason }];
    }
    case 'checked': {
      const { verdict, key } = event;
      if (verdict.is !== 'summarised' || verdict.text === null) return [];
      return [{ what: 'summary', path: key.path, reason: verdict.text }];
    }
    case 'settled':
      return settledNews(event, state, gate);
    case 'opened':
      return event.skips.map((path) => skippedNews(path, state));
    case 'skipped':
      return [{ what: 'stage_skipped', path: event.path, reason: skipText(event.reason) }];
    case 'swept':
      return [
        ...event.skipped.map((path) => skippedNews(path, state)),
        ...event.cancelled.map((path): News => {
          return { what: 'stage_failed', level: 'warning', path, reason: 'the run ended first' };
        }),
      ];
    default:
      return runNews(event);
  }
}

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

function skippedNews(path: StepPath, { steps }: RunState): News {
  const run = steps.get(path);
  return { what: 'stage_skipped', path, reason: run === undefined ? null : reasonOf(run) };
}

function settledNews(event: Of<'settled'>, state: RunState, gate: StepPath | null): News[] {
  const { path, status } = event;
  const reason = event.reason?.text ?? null;
  const end: News =
    status === 'SUCCEEDED'
      ? { what: 'stage_completed', path }
      : { what: 'stage_failed', level: 'error', path, reason };
  const warnings = warningsOfSettled(event, state);
  // A person's answer comes before the end of its gate.
  return [
    ...(gate === null ? [] : [{ what: 'gate_timed_out', level: 'warning', path, reason } as const]),
    end,
    ...warnings.map((text): News => ({ what: 'warning', level: 'warning', path, reason: text })),
  ];
}

/** What concerns the whole run. */
function runNews(event: RunEvent): News[] {
  switch (event.type) {
    case 'began':
      return [{ what: 'run_started' }];
    case 'resumed':
      return [{ what: 'run_resumed' }];
    case 'paused':
      return [{ what: event.on ? 'run_paused' : 'run_unpaused', by: event.by }];
    case 'hooked':
      if (event.problem === null) return [];
      return [{ what: 'hook_failed', level: 'error', reason: `on_${event.on}: ${event.problem}` }];
    case 'rolled-back': {
      const { over, problem: reason } = event;
      return over ? [{ what: 'rolled_back', ...(reason !== null && { level: 'error' }), reason }] : [];
    }
    case 'controlled':
      return [{ what: 'warning', level: 'warning', reason: event.refusal.text, by: event.by }];
    case 'closed':
      return [{ ...ends[event.status], reason: event.reason?.text ?? null }];
    default:
      return [];
  }
}

const ends: Readonly<Record<Of<'closed'>['status'], News>> = {
  SUCCEEDED: { what: 'run_completed' },
  FAILED: { what: 'run_failed', level: 'error' },
  CANCELLED: { what: 'run_cancelled', level: 'warning' },
  TIMED_OUT: { what: 'run_timed_out', level: 'error' },
};
