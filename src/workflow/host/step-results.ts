import { reportsOf, type Worked } from '../../kernel/work.ts';
import type { Exit, Invocation, Outcome } from '../../providers/provider.ts';
import { mergeFailure } from '../machine/failure-names.ts';
import type { Launch, Prepared } from '../machine/launch.ts';
import { outputsFromText, readWork } from '../machine/outcome.ts';
import type { WorkResult } from '../machine/work-result.ts';
import { orElse } from '../../kernel/contained.ts';
import { isIn } from '../machine/fold/steps.ts';
import { keyOf } from '../machine/resolve.ts';
import type { ProcessKey } from '../machine/event.ts';
import { measured } from './processes.ts';
import { unlessPassing } from '../../kernel/passing.ts';
import { failedIn } from './checkouts.ts';
import type { RunLedger } from './ledger.ts';
import type { RunPorts } from './ports.ts';
import type { Looked } from './step-permissions.ts';

export interface Running {
  readonly launch: Launch;
  readonly prepared: Prepared;
  /** Null: it is not an agent. */
  readonly invocation: Invocation | null;
  /** The commit in its checkout at the start; null: it has none. */
  readonly entered: string | null;
}

/** A worker that has ended. */
export interface Over extends Running {
  readonly exit: Exit;
  /** What another host has reported of it; null: it ran here. */
  readonly reported: Outcome | null;
  readonly looked: Looked;
}

/** What was found and committed after the end of a worker. */
export interface Left {
  readonly changed: readonly string[] | string;
  /** Null: it has no checkout, or failed. */
  readonly worked: Worked | null;
}

export const nothingLeft: Left = { changed: [], worked: null };

/** Reads what workers have left when they have ended. */
export class StepResults {
  readonly #ledger: Pick<RunLedger, 'now' | 'state'>;
  readonly #ports: Pick<RunPorts, 'changed' | 'files' | 'git' | 'providers'>;

  constructor(
    ledger: Pick<RunLedger, 'now' | 'state'>,
    ports: Pick<RunPorts, 'changed' | 'files' | 'git' | 'providers'>,
  ) {
    this.#ledger = ledger;
    this.#ports = ports;
  }

  /**
   * Masks files left by workers of an earlier host. Call it after the sweep; roles may still work.
   */
  hideLeft(): void {
    const { active, steps } = this.#ledger.state;
    const posted = [...active].flatMap((path) => {
      const run = steps.get(path);
      return isIn(run, 'running') && run.phase.posted ? (keyOf(run) ?? []) : [];
    });
    orElse(() => this.#ports.files.hideAllValues(posted), undefined);
  }

  /** Values of a stopped process are never read, so a disk error here fails nothing. */
  hideValues(key: ProcessKey): void {
    orElse(() => this.#ports.files.hideValues(key), undefined);
  }

  /** Its changes, where a verdict needs them, and its commit. Throws a fault of the machine. */
  async left({ launch, prepared: { workspace }, entered }: Over): Promise<Left> {
    const { changed, git } = this.#ports;
    const { checkout } = launch;
    const isCommitted = checkout !== undefined && entered !== null;
    return {
      changed: measured(launch) ? await changed(launch, workspace) : [],
      worked: isCommitted ? unlessPassing(await git.leave(launch, checkout, entered)) : null,
    };
  }

  /** What an agent, or another host, says of its work; null: the exit alone says it. */
  outcome({ launch, invocation, exit, reported }: Over): Outcome | null {
    if (reported !== null) return launch.work.kind === 'agent' || reported.is !== 'done' ? reported : null;
    if (invocation === null || launch.work.kind !== 'agent') return null;
    return (
      this.#ports.providers.get(launch.work.provider)?.read(exit, invocation, this.#ledger.now()) ?? null
    );
  }

  /**
   * The result of an ended worker; the answer of a text-only agent is written to its output file.
   */
  work({ launch, exit }: Over, outcome: Outcome | null): WorkResult {
    const { files } = this.#ports;
    const done = isDone(exit, outcome);
    if (outcome === null) files.keepOutput(launch, null);
    else if (outcome.is === 'done') files.keepOutput(launch, outcome.text);
    const isStalled = exit.ended === 'idle-timeout' && launch.stall?.policy === 'incomplete';
    const first = files.collect(launch, done || isStalled);
    const texts = done && outcome?.is === 'done' ? outputsFromText(launch, first, outcome.text) : [];
    for (const { output, text } of texts) files.handOver(launch, output, text);
    const collected = texts.length === 0 ? first : files.collect(launch, done);
    if (collected.values !== null) files.hideValues(launch.key);
    return readWork(launch, { exit, outcome, collected });
  }

  /** A result with the commit that it leaves, or why there is none. */
  withCommit(launch: Launch, result: WorkResult, worked: Worked | null): WorkResult {
    if (result.outcome.is !== 'done' || launch.checkout === undefined || worked === null) return result;
    if (worked.ok) {
      const commit = this.#ports.git.commitOf(launch, launch.checkout, worked.commit);
      return { ...result, commit, warnings: [...result.warnings, ...reportsOf(worked)] };
    }
    // Its worker is the one to resolve a conflict, if it may.
    const { merges } = launch.checkout;
    const resolving = worked.resolving && merges ? 'role' : worked.resolving;
    const { outcome } = failedIn({ ...worked, resolving });
    const isFurther = merges && worked.resolving === 'role';
    return { ...result, outcome: { ...outcome, ...mergeFailure(isFurther) } };
  }
}

/** `outcome` null: it is not an agent. */
export function isDone({ ended, code }: Exit, outcome: Outcome | null): boolean {
  return outcome === null ? ended === 'exited' && code === 0 : outcome.is === 'done';
}
