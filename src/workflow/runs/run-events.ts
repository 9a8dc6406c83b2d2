import { iso, isoOrNull } from '../../kernel/times.ts';
import { apply } from '../machine/apply.ts';
import type { StepPath, RunEvent } from '../machine/event.ts';
import type { Rules } from '../machine/rules.ts';
import type { RunState } from '../machine/state.ts';
import { lastFailure, skipText, statusOf, warningsOfSettled } from '../machine/view.ts';
import { rejecting } from '../reserved.ts';
import { progressOf } from './summary.ts';
import type { RunEventDocument } from '../../documents/runs.ts';

/** What one record means, in this order; mostly nothing or one thing. */
type Part = Pick<RunEventDocument, 'event'> &
  Partial<Pick<RunEventDocument, 'level' | 'stage' | 'reason' | 'by' | 'until'>>;

/** The things that happen by a record. `state`: before it, and changed by this. */
export function runEventsOf(
  state: RunState,
  rules: Rules,
  { n, event }: { readonly n: number; readonly event: RunEvent },
): RunEventDocument[] {
  const wasAsked = event.type === 'settled' && state.steps.get(event.path)?.phase.is === 'asked';
  apply(state, event);
  return partsOf(event, state, wasAsked).map(
    ({ event: name, level = 'info', stage = null, reason = null, by = null, until = null }) => ({
      seq: n,
      at: iso(event.at),
      run: state.given?.run ?? '',
      level,
      event: name,
      stage,
      attempt: stage === null ? null : (state.steps.get(stage)?.attempt ?? null),
      status: stage === null ? state.status : statusOf(state, stage),
      reason,
      by,
      until,
      progress: progressOf(state, rules.workflow),
      cost: state.cost,
    }),
  );
}

function partsOf(event: RunEvent, state: RunState, wasAsked: boolean): Part[] {
  switch (event.type) {
    case 'began':
      return [{ event: 'run_started' }];
    case 'resumed':
      return [{ event: 'run_resumed' }];
    case 'paused':
      return [{ event: event.on ? 'run_paused' : 'run_unpaused', by: event.by }];
    case 'started':
      return [{ event: 'stage_started', stage: event.path }];
    case 'expanded':
    case 'checking':
    case 'completed':
      return [{ event: 'stage_progress', stage: event.path }];
    case 'iterating':
      return [{ event: 'stage_progress', stage: event.path, reason: event.reasons.join('; ') || null }];
    case 'retrying': {
      const reason = lastFailure(state, event.path)?.reason.text ?? null;
      return [
        { event: 'stage_retry', level: 'warning', stage: event.path, reason, until: iso(event.notBefore) },
      ];
    }
    case 'asked':
      return [
        { event: 'gate_asked', stage: event.path, reason: event.message, until: isoOrNull(event.deadline) },
      ];
    case 'judged': {
      const name = event.choice === rejecting ? 'gate_rejected' : 'gate_approved';
      return [{ event: name, stage: event.path, by: event.by, reason: event.comment }];
    }
    case 'settled':
      return settledParts(event, state, wasAsked);
    case 'checked': {
      const { verdict, key } = event;
      if (verdict.is !== 'summarised' || verdict.text === null) return [];
      return [{ event: 'summary', stage: key.path, reason: verdict.text }];
    }
    case 'opened':
      return event.skips.map((path) => skippedPart(path, state));
    case 'skipped':
      return [{ event: 'stage_skipped', stage: event.path, reason: skipText(event.reason) }];
    case 'swept':
      return [
        ...event.skipped.map((path) => skippedPart(path, state)),
        ...event.cancelled.map((path): Part => ({
          event: 'stage_failed',
          level: 'warning',
          stage: path,
          reason: 'the run ended first',
        })),
      ];
    default:
      return runParts(event);
  }
}

function skippedPart(path: StepPath, state: RunState): Part {
  const phase = state.steps.get(path)?.phase;
  const skipped = phase?.is === 'settled' ? phase.skipped : null;
  return { event: 'stage_skipped', stage: path, reason: skipped === null ? null : skipText(skipped) };
}

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

function settledParts(event: Of<'settled'>, state: RunState, wasAsked: boolean): Part[] {
  const { path, status, reason } = event;
  const text = reason?.text ?? null;
  const warnings = warningsOfSettled(event, state).map((warning): Part => ({
    event: 'warning',
    level: 'warning',
    stage: path,
    reason: warning,
  }));
  const timedOut: Part = { event: 'gate_timed_out', level: 'warning', stage: path, reason: text };
  const end: Part =
    status === 'SUCCEEDED'
      ? { event: 'stage_completed', stage: path }
      : { event: 'stage_failed', level: 'error', stage: path, reason: text };
  // A person's answer comes before the end of its gate.
  return [...(wasAsked ? [timedOut] : []), end, ...warnings];
}

/** What concerns the whole run. */
function runParts(event: RunEvent): Part[] {
  switch (event.type) {
    case 'hooked':
      if (event.problem === null) return [];
      return [{ event: 'hook_failed', level: 'error', reason: `on_${event.on}: ${event.problem}` }];
    case 'rolled-back':
      if (!event.over) return [];
      return [
        { event: 'rolled_back', level: event.problem === null ? 'info' : 'error', reason: event.problem },
      ];
    case 'retried':
      return [{ event: 'stage_progress', stage: event.path, by: event.by }];
    case 'controlled':
      return [{ event: 'warning', level: 'warning', reason: event.refusal.text, by: event.by }];
    case 'closed':
      return [{ ...ends[event.status], reason: event.reason?.text ?? null }];
    default:
      return [];
  }
}

const ends: Readonly<Record<Of<'closed'>['status'], Part>> = {
  SUCCEEDED: { event: 'run_completed' },
  FAILED: { event: 'run_failed', level: 'error' },
  CANCELLED: { event: 'run_cancelled', level: 'warning' },
  TIMED_OUT: { event: 'run_timed_out', level: 'error' },
};
