import { dueRollback } from '../machine/rollback.ts';
import type { Rules } from '../machine/rules.ts';
import type { RunLedger } from './ledger.ts';
import type { RunPorts } from './ports.ts';
import type { RolledBack } from '../../kernel/edits.ts';

/**
 * Puts the workspace of a run back when it has ended by a step that wants so. That it begins is in the journal with the end
 * itself, so that a host that dies meanwhile is followed by one that does it again: twice is as once.
 */
export class Rollback {
  readonly #ledger: RunLedger;
  readonly #rules: Rules;
  readonly #ports: Pick<RunPorts, 'rollBack' | 'wake'>;
  #is: 'idle' | 'taken' | 'running' = 'idle';
  #done: RolledBack | null = null;
  #undoing: Promise<void> = Promise.resolve();

  constructor(ledger: RunLedger, rules: Rules, ports: Pick<RunPorts, 'rollBack' | 'wake'>) {
    this.#ledger = ledger;
    this.#rules = rules;
    this.#ports = ports;
  }

  /** Whether the run is not through with it. */
  get isOpen(): boolean {
    return this.#due !== null || this.#is !== 'idle';
  }

  get #due(): string | null {
    return this.#ports.rollBack === undefined ? null : dueRollback(this.#ledger.state, this.#rules);
  }

  /** One that did not go well is open again: what was in its way may be gone. */
  again(): void {
    const { state } = this.#ledger;
    if (state.endedAt !== null && state.rollback?.problem != null) this.#begins();
  }

  /** Records that it begins, or what has come of it. */
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

  /** Begins what was taken up. Call it only after a flush, and when nothing of the run is running. */
  start(): void {
    const { rollBack } = this.#ports;
    const tree = this.#due;
    if (this.#is !== 'taken' || tree === null || rollBack === undefined) return;
    this.#is = 'running';
    this.#undoing = this.#undo(rollBack, tree);
  }

  async #undo(rollBack: NonNullable<RunPorts['rollBack']>, tree: string): Promise<void> {
    this.#done = await rollBack(tree);
    this.#ports.wake();
  }

  /** Resolves when nothing is being undone. */
  finished(): Promise<void> {
    return this.#undoing;
  }
}
