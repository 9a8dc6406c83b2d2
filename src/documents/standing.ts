import * as z from 'zod';
import type { DocumentOf } from '../kernel/json.ts';
import { texts, time } from './common.ts';

/** What a person does about something, or need not do. */
export const standings = ['needs you', 'working', 'waiting', 'failed', 'done'] as const;

export const standing = z
  .strictObject({
    is: z
      .enum(standings)
      .describe('`needs you`: it moves again when a person acts. `failed`: nothing tries it again'),
    word: z.string().describe('The word that is shown'),
    for: texts.describe('Who is asked, or whom it waits for; empty: no one, or that is unknown'),
    until: time.nullable().describe('When the wait or the time to answer ends; null: it does not'),
  })
  .describe('What a person who sees it does about it')
  .meta({ id: 'Standing' });

export type Standing = DocumentOf<typeof standing>;

function be(is: Standing['is'], word: string = is, more: Partial<Standing> = {}): Standing {
  return { is, word, for: [], until: null, ...more };
}

function earliest(times: readonly (string | null)[]): string | null {
  return times.reduce(
    (least, each) => (least === null || (each !== null && each < least) ? each : least),
    null,
  );
}

interface StandingGate {
  readonly approvers: readonly string[];
  readonly deadline: string | null;
  readonly recorded: unknown;
}

interface StandingRun {
  readonly status: string;
  readonly alive: boolean;
  /** The active steps, without gates. */
  readonly steps: readonly string[];
  readonly gates: readonly StandingGate[];
  readonly paused: unknown;
}

/** One without a process is stopped, whatever it waits for: an answer alone does not move it. */
export function standingOfRun({ status, alive, steps, gates, paused }: StandingRun): Standing {
  if (status === 'SUCCEEDED' || status === 'CANCELLED') return be('done', status.toLowerCase());
  if (status === 'FAILED') return be('failed');
  if (status === 'TIMED_OUT') return be('failed', 'timed out');
  if (!alive) return be('waiting', 'stopped');
  if (steps.length > 0) return be('working', 'running');
  const open = gates.filter(({ recorded }) => recorded === null);
  if (open.length > 0) return ofGates(open);
  return paused === null ? be('waiting') : be('waiting', 'paused');
}

function ofGates(gates: readonly StandingGate[]): Standing {
  return be('needs you', 'needs you: approval', {
    for: [...new Set(gates.flatMap(({ approvers }) => approvers))],
    until: earliest(gates.map(({ deadline }) => deadline)),
  });
}

/**
 * `gate`: what the step asks a person, where that is known by its path; null: it is not. `alive`:
 * whether a process hosts the run.
 */
export function standingOfStep(status: string, gate: StandingGate | null, alive: boolean): Standing {
  if (gate !== null) return gate.recorded === null ? ofGates([gate]) : be('waiting', 'answered');
  switch (status) {
    case 'RUNNING':
    case 'CHECKING':
      return alive ? be('working', status.toLowerCase()) : be('waiting', 'interrupted');
    case 'FAILED':
    case 'INCOMPLETE':
      return be('failed', status.toLowerCase());
    case 'WAITING':
      return be('needs you', 'needs you: approval');
    case 'PENDING':
    case 'READY':
      return be('waiting', status === 'READY' ? 'ready' : 'waiting');
    default:
      return be('done', status.toLowerCase());
  }
}

/** A step's status, as people read it where no process hosts the run. */
export function statusWithoutHost(status: string): string {
  const { word } = standingOfStep(status, null, false);
  return word === 'interrupted' ? word : status;
}

interface StandingTurn {
  readonly state: string;
  readonly again: string | null;
}

/** `asksToLand`: a person has to let its work land. */
export function standingOfTurn({ state, again }: StandingTurn, asksToLand: boolean): Standing {
  if (asksToLand) return be('needs you', 'needs you: landing');
  switch (state) {
    case 'asking':
      return be('needs you', 'needs you: approval');
    case 'conflict':
      return be('needs you', 'needs you: conflict');
    case 'pending':
    case 'failed':
      return be('waiting', 'starts again', { until: again });
    case 'queued':
    case 'held':
    case 'interrupted':
      return be('waiting', state);
    case 'left':
      return be('waiting', 'left running');
    default:
      return be('working', state);
  }
}

interface StandingDebt {
  readonly deadline: string | null;
}

interface StandingRole {
  readonly person: boolean;
  readonly state: string;
  readonly inbox: number;
  /** The newest of its work failed, and nothing tries it again. */
  readonly failed: boolean;
  readonly owes: readonly StandingDebt[];
  readonly waits: readonly { readonly roles: readonly string[]; readonly deadline: string | null }[];
}

/** `turns`: how those of the role stand. */
export function standingOfRole(role: StandingRole, turns: readonly Standing[]): Standing {
  const { person, state, inbox, failed, owes, waits } = role;
  if (person && owes.length > 0)
    return be('needs you', 'needs you: question', { until: earliest(owes.map(({ deadline }) => deadline)) });
  const asking = turns.find(({ is }) => is === 'needs you');
  if (asking !== undefined) return asking;
  if (state === 'running') return be('working', state);
  if (state === 'idle') {
    const again = turns.find(({ is }) => is === 'waiting');
    if (again !== undefined) return again;
    if (inbox > 0 && !person) return be('waiting');
    return failed ? be('failed') : be('done', state);
  }
  const isWaiting = state === 'waiting';
  return be('waiting', state, {
    for: isWaiting ? [...new Set(waits.flatMap(({ roles }) => roles))] : [],
    until: isWaiting ? earliest(waits.map(({ deadline }) => deadline)) : null,
  });
}

interface StandingThread {
  readonly state: string;
  readonly reason: { readonly code: string } | null;
  readonly failed: unknown;
}

/** What happens in a thread. */
export interface Motion {
  /** How its unfinished turns stand. */
  readonly turns: readonly Standing[];
  /** The unanswered questions in it to people. */
  readonly questions: readonly { readonly person: string; readonly deadline: string | null }[];
  /** Its roles that wait, and for whom. */
  readonly waits: readonly { readonly roles: readonly string[]; readonly deadline: string | null }[];
}

export function standingOfThread({ state, reason, failed }: StandingThread, motion: Motion): Standing {
  const { turns, questions, waits } = motion;
  if (state === 'failed') return reason?.code === 'E_CANCELLED' ? be('done', 'cancelled') : be('failed');
  if (state === 'closed') return be('done', state);
  const asking = turns.find(({ is }) => is === 'needs you');
  if (asking !== undefined) return asking;
  if (questions.length > 0)
    return be('needs you', 'needs you: question', {
      for: [...new Set(questions.map(({ person }) => person))],
      until: earliest(questions.map(({ deadline }) => deadline)),
    });
  const moving = turns.find(({ is }) => is === 'working') ?? turns[0];
  if (moving !== undefined) return moving;
  if (failed !== null) return be('failed', 'failed, not retried');
  if (state === 'quiet') return be('done', 'no work left');
  return be('waiting', 'waiting', {
    for: [...new Set(waits.flatMap(({ roles }) => roles))],
    until: earliest(waits.map(({ deadline }) => deadline)),
  });
}
