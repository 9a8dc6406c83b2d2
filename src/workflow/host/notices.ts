import { BudgetAlert } from '../../kernel/spent-budget.ts';
import type { StepPath } from '../machine/event.ts';
import { isIn } from '../machine/fold/steps.ts';
import type { Rules } from '../machine/rules.ts';
import type { RunLedger } from './ledger.ts';
import type { RunPorts } from './ports.ts';

type Ports = Pick<RunPorts, 'hooks' | 'budgetAlert' | 'notify'>;

/** Notifies people of a run. A restarted host does it again: the last one may have ended before. */
export class RunNotices {
  readonly #ledger: RunLedger;
  readonly #rules: Rules;
  readonly #ports: Ports;
  readonly #asked = new Set<StepPath>();
  readonly #alerted = new Set<string>();
  readonly #alert: BudgetAlert;

  constructor(ledger: RunLedger, rules: Rules, ports: Ports) {
    this.#ledger = ledger;
    this.#rules = rules;
    this.#ports = ports;
    this.#alert = new BudgetAlert(ports.budgetAlert ?? null);
  }

  /** Of each gate that begins to wait. Call it only after a flush. */
  ofGates(): void {
    const { given, active, steps } = this.#ledger.state;
    const { notify } = this.#ports;
    if (notify === undefined || given === null) return;
    // A gate that is answered may ask again, after `retry`.
    for (const path of this.#asked) if (!isIn(steps.get(path), 'asked')) this.#asked.delete(path);
    for (const path of active) {
      const step = steps.get(path);
      if (!isIn(step, 'asked') || this.#asked.has(path)) continue;
      this.#asked.add(path);
      const { message, approvers } = step.phase;
      notify({ run: given.run, workflow: given.workflow, path, message, approvers });
    }
  }

  /**
   * Of a budget of the run whose alert share is spent, by mail, which sends the same notice once.
   * Call it only after a flush. Throws `E_DISK`.
   */
  ofBudgets(): void {
    const { cost, given } = this.#ledger.state;
    const { hooks } = this.#ports;
    if (hooks === undefined || given === null) return;
    const { name, budget: own } = this.#rules.workflow;
    this.#alert.look(cost, () =>
      [given.budget, own].map((budget) => ({
        budget,
        spent: cost,
        alert: ({ unit, limit, share, text }) => {
          const about = `budget ${unit} ${String(limit)}`;
          if (this.#alerted.has(about)) return;
          const subject = `${share} of the budget of ${name} is spent: ${text}`;
          const body = `The run ${given.run} of \`${name}\` has cost ${text}. When its budget is used up, it ends with \`E_BUDGET\`.`;
          hooks.notify('user', about, subject, body);
          this.#alerted.add(about);
        },
      })),
    );
  }
}
