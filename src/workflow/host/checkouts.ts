import { HostFault } from '../../kernel/contained.ts';
import { asHostFault, isPassing } from '../../kernel/passing.ts';
import type { Landed } from '../../git/land-work.ts';
import type { Worked } from '../../kernel/work.ts';
import { ProcessTable } from '../../host/process-table.ts';
import type { Launch } from '../machine/launch.ts';
import { failedResult, unapproved } from '../machine/outcome.ts';
import { blankResult, type WorkResult } from '../machine/work-result.ts';
import type { RunPorts } from './ports.ts';

/** What git has done for a launch: the step is over, or its worker starts with this commit. */
export type Begun =
  | { readonly is: 'over'; readonly result: WorkResult }
  /** The machine was in its way: nothing has begun. */
  | { readonly is: 'held'; readonly problem: string }
  /** `conflict`: why its worker must resolve one first; null: there is none. */
  | { readonly is: 'entered'; readonly commit: string; readonly conflict: string | null };

/**
 * The work in git of steps, while no process of theirs runs: it makes their checkouts, merges and
 * lands.
 */
export class Checkouts {
  readonly #ports: Pick<RunPorts, 'clock' | 'git' | 'report'>;
  /** What git prepares now. */
  readonly busy = new ProcessTable<Launch>({ stop: () => {} });

  constructor(ports: Pick<RunPorts, 'clock' | 'git' | 'report'>) {
    this.#ports = ports;
  }

  /** What is not wanted any more has no consequences: git is left to end. */
  steer(wanted: ReadonlyMap<string, unknown>): void {
    this.busy.steer(wanted, () => {});
  }

  /** Calls `then` with what git has done, unless the launch was stopped meanwhile. */
  begin(key: string, launch: Launch, then: (begun: Begun) => void): void {
    this.busy.set(key, launch);
    void this.#begun(launch).then((begun) =>
      this.#ports.report(() => {
        const isStopped = this.busy.isStopping(key);
        this.busy.delete(key);
        if (!isStopped) then(begun);
      }),
    );
  }

  async #begun(launch: Launch): Promise<Begun> {
    try {
      return await this.#work(launch);
    } catch (error) {
      const fault = asHostFault(error);
      if (!(fault instanceof HostFault)) throw error;
      return { is: 'held', problem: fault.message };
    }
  }

  async #work(launch: Launch): Promise<Begun> {
    const { clock, git } = this.#ports;
    const since = clock.now();
    const over = (result: WorkResult): Begun => ({
      is: 'over',
      result: { ...result, durationMs: clock.now() - since },
    });
    const { checkout, work } = launch;
    if (work.kind === 'land') {
      if (work.takes === null) return over({ ...blankResult, warnings: [nothingLanded(work.branch)] });
      const landed = await git.land(launch, work, work.takes, work.approved);
      if (!landed.ok && isPassing(landed.problem)) return { is: 'held', problem: landed.problem };
      if (!landed.ok) return over(notLanded(landed));
      return over({ ...blankResult, commit: { id: landed.commit, branch: work.branch, worktree: null } });
    }
    if (checkout === undefined) throw new Error('a step without a checkout has no work in git');
    const { conflict, merges } = checkout;
    const hasWorker = work.kind !== 'merge';
    const entered = await git.enter(launch, checkout, conflict !== null);
    if (entered.ok && merges && !(hasWorker && conflict !== null))
      return over({ ...blankResult, commit: git.commitOf(launch, checkout, entered.commit) });
    if (entered.ok) return { is: 'entered', commit: entered.commit, conflict: merges ? conflict : null };
    if (isPassing(entered.problem)) return { is: 'held', problem: entered.problem };
    if (entered.resolving !== 'role') return over(failedIn(entered));
    const laid = await git.enter(launch, checkout, true);
    return laid.ok ? { is: 'entered', commit: laid.commit, conflict: entered.problem } : over(failedIn(laid));
  }
}

/** The result of a step whose work in git failed. What its worker has to resolve is tried again. */
export function failedIn(failed: Pick<Extract<Worked, { ok: false }>, 'problem' | 'resolving'>): WorkResult {
  const { problem: text, resolving } = failed;
  const isTriedAgain = isPassing(text) || resolving === 'role';
  return failedResult(isTriedAgain ? 'RETRYABLE_TRANSIENT' : 'NON_RETRYABLE', {
    code: resolving === null ? 'E_WORKSPACE' : 'E_CONFLICT',
    text,
  });
}

function nothingLanded(branch: string): string {
  return `nothing landed on \`${branch}\`: the steps before it have left no work`;
}

/** A landing that somebody else holds up is tried again. */
function notLanded(landed: Extract<Landed, { ok: false }>): WorkResult {
  const { problem: text, code } = landed;
  if (code === 'E_REFUSED') return unapproved(landed.rules);
  return failedResult(code === 'E_WORKSPACE' ? 'RETRYABLE_TRANSIENT' : 'NON_RETRYABLE', { code, text });
}
