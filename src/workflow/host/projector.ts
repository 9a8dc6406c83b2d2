import type { ConvergenceState, StepPath, RunEvent } from '../machine/event.ts';
import { isIn } from '../machine/fold/steps.ts';
import { pathIn } from '../machine/path.ts';
import type { Rules } from '../machine/rules.ts';
import { findStep } from '../machine/scope.ts';
import type { RunFormat } from '../machine/run-format.ts';
import type { RunState } from '../machine/state.ts';
import { metaOf, settledBy, summaryOf } from '../machine/view.ts';
import type { RunFiles } from '../files/run-files.ts';
import type { DiskGuard } from '../../disk/disk-guard.ts';
import type { Clock } from '../../kernel/clock.ts';

/**
 * Milliseconds between two writes of `_workflow.json` of a running run, and before a retry after a
 * disk error.
 */
export const between = 1_000;

/** The ports of the projector. */
interface ProjectorPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly files: Pick<RunFiles, 'meta' | 'summary' | 'record' | 'export' | 'convergence'>;
  /** The text of the language's own document of the run; absent: it has none. */
  readonly document?: RunFormat['document'];
}

interface Found {
  readonly reasons: readonly string[];
  readonly fingerprints: readonly string[];
}

/** Projects a run into its context folder. Written after the journal, and again at a resume. */
export class RunProjector {
  readonly #ports: ProjectorPorts;
  readonly #rules: Rules;
  #projectedAt = 0;
  #stale = true;
  readonly #disk: DiskGuard;

  /** `disk`: its pending retries happen here, whichever component left them. */
  constructor(ports: ProjectorPorts, rules: Rules, disk: DiskGuard) {
    this.#ports = ports;
    this.#rules = rules;
    this.#disk = disk;
  }

  /** When to call it again without an event, by the wall clock; null: nothing is pending. */
  get due(): number | null {
    if (!this.#stale && !this.#disk.isPending) return null;
    return Math.min(this.#projectedAt, this.#ports.clock.now()) + between;
  }

  /** Projects the changes of durable events; without events, what was deferred. */
  project(state: RunState, events: readonly RunEvent[]): void {
    if (events.length > 0) this.#stale = true;
    for (const [at, event] of events.entries()) this.#iteration(state, event, () => events.slice(at + 1));
    for (const path of events.flatMap(settledBy)) this.#settled(state, path);
    const now = this.#ports.clock.now();
    // While a person is awaited, no other event may follow for long.
    const edge = events.some(({ type }) => ['began', 'asked', 'closed'].includes(type));
    const isDue = now < this.#projectedAt || now - this.#projectedAt >= between;
    if (!edge && !(isDue && this.due !== null)) return;
    this.#disk.retry();
    this.#summary(state, now);
  }

  /** Projects everything that is pending. */
  finish(state: RunState): void {
    this.#disk.retry();
    if (this.#stale) this.#summary(state, this.#ports.clock.now());
  }

  /** Projects every settled step again. */
  projectAll(state: RunState): void {
    for (const [path, step] of state.steps)
      if (isIn(step, 'settled')) {
        this.handOut(state, path);
        this.#settled(state, path);
      }
  }

  #settled(state: RunState, path: StepPath): void {
    this.#disk.keepTrying(`meta ${path}`, () => {
      // Retried after a step has started again, it would remove the artifacts of the new attempt.
      if (isIn(state.steps.get(path), 'settled') && findStep(state, this.#rules, path) !== null)
        this.#ports.files.meta(path, metaOf(state, this.#rules, path));
    });
  }

  /** The result of an iteration's check. `later`: events that became durable with it, after it. */
  #iteration(state: RunState, event: RunEvent, later: () => readonly RunEvent[]): void {
    if (event.type === 'iterating') {
      const { path, reasons, fingerprints } = event;
      const isNext = (other: RunEvent) => other.type === 'iterating' && other.path === path;
      const iteration = (state.steps.get(path)?.iteration ?? 2) - 1 - later().filter(isNext).length;
      this.#found(path, iteration, event.convergence, { reasons, fingerprints });
    } else if (event.type === 'settled' && event.convergence !== null && event.status !== 'SUCCEEDED') {
      const { path, reason, convergence } = event;
      const reasons = reason === null ? [] : [reason.text];
      const iteration = state.steps.get(path)?.iteration ?? 1;
      this.#found(path, iteration, convergence, { reasons, fingerprints: convergence.last ?? [] });
    }
  }

  #found(path: StepPath, iteration: number, { stage, stalled }: ConvergenceState, found: Found): void {
    const { reasons, fingerprints } = found;
    const document = { iteration, stage, stalled, reasons: [...reasons], fingerprints: [...fingerprints] };
    const name = `convergence ${path} ${String(iteration)}`;
    this.#disk.keepTrying(name, () => this.#ports.files.convergence(path, iteration, document));
  }

  /** Exports a sub-workflow's artifacts to its step, before dependents of the step start. */
  handOut(state: RunState, path: StepPath): void {
    this.#disk.keepTrying(`export ${path}`, () => this.#export(state, path));
  }

  #export(state: RunState, path: StepPath): void {
    const work = findStep(state, this.#rules, path)?.rule.step.work;
    if (work?.kind !== 'workflow' || state.steps.get(path)?.artifacts.length === 0) return;
    for (const { from, artifact, as } of work.exports)
      this.#ports.files.export(pathIn(path, from), artifact, path, as);
  }

  #summary(state: RunState, now: number): void {
    this.#projectedAt = now;
    this.#stale = false;
    const { files, document } = this.#ports;
    const name = this.#rules.workflow.display?.record;
    this.#disk.keepTrying('summary', () => {
      files.summary(summaryOf(state, this.#rules));
      if (document && name !== undefined) files.record(name, document(state, this.#rules));
    });
  }
}
