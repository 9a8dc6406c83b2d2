import type { StepPath } from '../machine/event.ts';
import { isIn } from '../machine/fold/steps.ts';
import type { RunLedger } from './ledger.ts';
import type { RunPorts } from './ports.ts';

/**
 * Has people notified of each gate that begins to wait. A restarted host notifies of those again
 * that still wait: the last one may have ended before it did.
 */
export class ApprovalNotices {
  readonly #ledger: RunLedger;
  readonly #notify: RunPorts['notify'];
  readonly #asked = new Set<StepPath>();

  constructor(ledger: RunLedger, { notify }: Pick<RunPorts, 'notify'>) {
    this.#ledger = ledger;
    this.#notify = notify;
  }

  /** Call it only after a flush. */
  look(): void {
    const { given, active, steps } = this.#ledger.state;
    if (this.#notify === undefined || given === null) return;
    // A gate that is answered may ask again, after `retry`.
    for (const path of this.#asked) if (!isIn(steps.get(path), 'asked')) this.#asked.delete(path);
    for (const path of active) {
      const step = steps.get(path);
      if (!isIn(step, 'asked') || this.#asked.has(path)) continue;
      this.#asked.add(path);
      const { message, approvers } = step.phase;
      this.#notify({ run: given.run, workflow: given.workflow, path, message, approvers });
    }
  }
}
