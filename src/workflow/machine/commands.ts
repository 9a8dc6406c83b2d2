import type { Json } from '../../kernel/json.ts';
import { nearest } from '../../kernel/nearest.ts';
import { answerProblem, strangerProblem } from './approval.ts';
import type { CommandId, StepPath, RunEvent } from './event.ts';
import type { Rules } from './rules.ts';
import { automaticApprover } from '../reserved.ts';
import { isIn } from './fold/steps.ts';
import { findStep } from './scope.ts';
import type { RunState, StepRun } from './state.ts';
import type { Reason } from '../../kernel/errors.ts';

/** A person's command for a run. */
export interface RunCommand {
  readonly verb: 'approve' | 'reject' | 'cancel' | 'retry' | 'pause' | 'unpause';
  /** The gate or the step; empty for a verb that addresses the run. */
  readonly path: StepPath;
  readonly by: string;
  /** What `approve` chooses; null: `approve`. */
  readonly choice: string | null;
  readonly fields: Readonly<Record<string, Json>>;
  /** When the command was given; a gate's deadline counts from this. */
  readonly at: number;
}

/**
 * The verdict on a command that an event records; null: none. The event after a command is its
 * verdict.
 */
export function verdictIn(
  event: RunEvent,
): { readonly id: CommandId; readonly refusal: Reason | null } | null {
  switch (event.type) {
    case 'controlled':
      return { id: event.id, refusal: event.refusal };
    case 'judged':
    case 'cancelled':
    case 'paused':
    case 'retried':
      return event.command === null ? null : { id: event.command, refusal: null };
    default:
      return null;
  }
}

/** Why a run cannot follow a command now; null: it can. */
export function refusal(state: RunState, rules: Rules, command: RunCommand): Reason | null {
  switch (command.verb) {
    case 'cancel':
    case 'pause':
    case 'unpause':
      return state.endedAt === null ? null : refused(`the run is over: ${state.status}`);
    case 'retry':
      return retryRefusal(state, command.path);
    case 'approve':
    case 'reject':
      return answerRefusal(state, rules, command);
  }
}

function retryRefusal(state: RunState, path: StepPath): Reason | null {
  const step = state.steps.get(path);
  if (!step) return unknown(state, path, 'step that was started', hasFailed);
  if (state.ending?.why === 'cancelled' && state.endedAt === null)
    return refused('the run is being cancelled: try it again when that is over');
  return hasFailed(step) ? null : refused(`${path} has not failed: there is nothing to be tried again`);
}

function hasFailed({ phase }: StepRun): boolean {
  return phase.is === 'settled' && ['FAILED', 'CANCELLED', 'INCOMPLETE'].includes(phase.status);
}

function answerRefusal(state: RunState, rules: Rules, command: RunCommand): Reason | null {
  const { path, by, at } = command;
  const step = state.steps.get(path);
  const isGate = step !== undefined && findStep(state, rules, path)?.rule.step.work.kind === 'gate';
  const isOther = step !== undefined && !isGate && !isIn(step, 'asked', 'judged');
  if (!step || isOther) {
    const what = isOther ? 'gate' : 'waiting gate';
    return unknown(state, path, what, ({ phase: { is } }) => is === 'asked');
  }
  const { phase } = step;
  if (phase.is === 'judged') return refused(`${phase.by} has said \`${phase.choice}\` to ${path} already`);
  if (phase.is === 'settled') return refused(`${path} is over already: ${phase.status}`);
  if (phase.is !== 'asked') return refused(`${path} is not a waiting gate`);
  if (by === automaticApprover) return refused(`\`${by}\` stands for a timeout; answer under your own name`);
  const stranger = strangerProblem(phase, command);
  if (stranger !== null) return refused(stranger);
  if (phase.deadline !== null && at > phase.deadline) return refused(`the time of the gate ${path} is over`);
  const problem = answerProblem(phase, { choice: choiceOf(command), fields: command.fields });
  return problem === null ? null : refused(problem);
}

/** What a command answers to a gate. */
export function choiceOf({ verb, choice }: Pick<RunCommand, 'verb' | 'choice'>): string {
  return verb === 'reject' ? verb : (choice ?? verb);
}

/** The maximum number of suggested paths. */
const few = 5;

/** `fits`: the steps that the command could address. */
function unknown(state: RunState, path: StepPath, what: string, fits: (step: StepRun) => boolean): Reason {
  const near = state.steps.has(path) ? null : nearest(path, [...state.steps.keys()]);
  const others = [...state.steps.values()].filter(fits).map((step) => `\`${step.path}\``);
  const all = others.length === 0 ? '' : `; there is ${others.slice(0, few).join(', ')}`;
  const hint = near === null ? all : `; did you mean \`${near}\`?`;
  return { code: 'E_TARGET', text: `\`${path}\` is not a ${what}${hint}` };
}

function refused(text: string): Reason {
  return { code: 'E_REFUSED', text };
}
