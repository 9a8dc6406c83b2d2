import { dueRollback } from '../machine/rollback.ts';
import type { Rules } from '../machine/rules.ts';
import type { RunLedger } from './ledger.ts';
import type { RunPorts } from './ports.ts';
import type { RolledBack } from '../../kernel/edits.ts';

/**
 * Restores the workspace of a run that ended by a step with rollback. The journal records its start
 * with the end itself, so that after a crash the next host repeats it; a repetition changes
 * nothing.
 */
export class Rollback {
  readonly #ledger: RunLedger;
  readonly #rules: Rules;
  readonly #ports: Pick<RunPorts, 'rollBack' | 'report'>;
  #is: 'idle' | 'taken' | 'running' = 'idle';
  #done: RolledBack | null = null;
  #undoing: Promise<void> = Promise.resolve();

  constructor(ledger: RunLedger, rules: Rules, ports: Pick<RunPorts, 'rollBack' | 'report'>) {
    this.#ledger = ledger;
    this.#rules = rules;
    this.#ports = ports;
  }

  /** Whether the run's rollback is unfinished. */
  get isOpen(): boolean {
    return this.#due !== null || this.#is !== 'idle';
  }

  get #due(): string | null {
    return this.#ports.rollBack === undefined ? null : dueRollback(this.#ledger.state, this.#rules);
  }

  /** Reopens a rollback that failed: its obstacle may be gone. */
  retry(): void {
    const { state } = this.#ledger;
    if (state.endedAt !== null && state.rollback?.problem != null) this.#begins();
  }

  /** Records its start, or its result. */
  take(): void {
    if (this.#done !== null) {
      this.#ledger.record([{ type: 'rolled-back', over: true, ...this.#done }]);
      this.#is = 'idle';
      this.#done = null;
    } else if (this.#is === 'idle' && this.#due !== null) {
      this.#begins();
      this.#is = 'taken';
    }
  }

  #begins(): void {
    this.#ledger.record([{ type: 'rolled-back', over: false, files: 0, problem: null }]);
  }

  /**
   * Starts a recorded rollback. Call it only after a flush, and when nothing of the run is running.
   */
  start(): void {
    const { rollBack } = this.#ports;
    const tree = this.#due;
    if (this.#is !== 'taken' || tree === null || rollBack === undefined) return;
    this.#is = 'running';
    this.#undoing = this.#undo(rollBack, tree);
  }

  async #undo(rollBack: NonNullable<RunPorts['rollBack']>, tree: string): Promise<void> {
    const done = await rollBack(tree);
    this.#ports.report(() => (this.#done = done));
  }

  /** Resolves when no rollback is in progress. */
  finished(): Promise<void> {
    return this.#undoing;
  }
}
