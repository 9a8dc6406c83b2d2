import type { StepPath, RunEvent } from '../../workflow/machine/event.ts';
import { happenings } from '../../workflow/machine/happenings.ts';
import type { Rules } from '../../workflow/machine/rules.ts';
import { findStep } from '../../workflow/machine/scope.ts';
import type { RunState } from '../../workflow/machine/state.ts';
import type { SettledStatus } from '../../workflow/machine/status.ts';
import { lastFailure, settledBy } from '../../workflow/machine/view.ts';

/** How long things took: their number, their sum, and how many took at most each bound. */
export interface Durations {
  count: number;
  /** In seconds. */
  sum: number;
  /** By the bounds of `bounds`, each with those below it. */
  readonly atMost: number[];
}

/** Seconds. */
export const bounds = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400] as const;

export function noDurations(): Durations {
  return { count: 0, sum: 0, atMost: bounds.map(() => 0) };
}

export function addDuration(durations: Durations, milliseconds: number): void {
  const seconds = Math.max(0, milliseconds) / 1_000;
  durations.count += 1;
  durations.sum += seconds;
  for (const [index, bound] of bounds.entries()) if (seconds <= bound) durations.atMost[index]! += 1;
}

/** What a stage of the definition has done, in all its items and visits. */
export interface StageFacts {
  readonly ended: Map<SettledStatus, number>;
  /** Launches of its worker. */
  attempts: number;
  /** By the code of the failure before. */
  readonly retries: Map<string, number>;
  readonly durations: Durations;
  /** How long people took to answer. */
  readonly waits: Durations;
  /** Of each launch: the time that its worker did not use. */
  readonly overheads: Durations;
}

/** What the journal of a run says about its stages. */
export class RunFacts {
  readonly stages = new Map<string, StageFacts>();
  readonly #rules: Rules;
  readonly #asked = new Map<StepPath, number>();

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  /** Counts a record, and folds it into the state. */
  add(state: RunState, event: RunEvent): void {
    const { attempts, gate } = happenings(state, event);
    for (const { path, check, from, to, result } of attempts)
      if (check === 0 && result !== null)
        addDuration(this.#stage(state, path).overheads, to - from - result.durationMs);
    const asked = gate === null ? undefined : this.#asked.get(gate);
    if (gate !== null && asked !== undefined) addDuration(this.#stage(state, gate).waits, event.at - asked);
    if (event.type === 'started') this.#stage(state, event.path).attempts += 1;
    if (event.type === 'asked') this.#asked.set(event.path, event.at);
    if (event.type === 'retrying') {
      const { retries } = this.#stage(state, event.path);
      count(retries, lastFailure(state, event.path)?.reason.code ?? 'none');
    }
    // Steps that a run leaves out from its start are not counted.
    if (event.type !== 'opened') for (const path of settledBy(event)) this.#settle(state, path);
  }

  #settle(state: RunState, path: StepPath): void {
    const run = state.steps.get(path);
    if (run?.phase.is !== 'settled') return;
    const stage = this.#stage(state, path);
    count(stage.ended, run.phase.status);
    if (run.startedAt !== null && run.settledAt !== null)
      addDuration(stage.durations, run.settledAt - run.startedAt);
  }

  #stage(state: RunState, path: StepPath): StageFacts {
    const name = stageOf(state, this.#rules, path);
    const known = this.stages.get(name) ?? {
      ended: new Map(),
      attempts: 0,
      retries: new Map(),
      durations: noDurations(),
      waits: noDurations(),
      overheads: noDurations(),
    };
    this.stages.set(name, known);
    return known;
  }
}

/** A stage as the definition names it: without items and visits. */
function stageOf(state: RunState, rules: Rules, path: StepPath): string {
  const visit = findStep(state, rules, path);
  if (visit === null) return path;
  const { scope, rule } = visit;
  return scope.body === '' ? rule.step.id : `${scope.body}/${rule.step.id}`;
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
