import { spentBudgets } from '../../kernel/spent-budget.ts';
import type { Rules } from '../machine/rules.ts';
import type { RunLedger } from './ledger.ts';
import type { RunPorts } from './ports.ts';

/**
 * Notifies `user` by mail when the alert share of the run's budget is spent. A restarted host may
 * ask again: the mail sends the same notice once.
 */
export class BudgetAlert {
  readonly #ledger: RunLedger;
  readonly #rules: Rules;
  readonly #ports: Pick<RunPorts, 'hooks' | 'budgetAlert'>;
  readonly #asked = new Set<string>();
  /** What was spent at the last look; a new object with every cost. */
  #spent: object | null = null;

  constructor(ledger: RunLedger, rules: Rules, ports: Pick<RunPorts, 'hooks' | 'budgetAlert'>) {
    this.#ledger = ledger;
    this.#rules = rules;
    this.#ports = ports;
  }

  /** Call it only after a flush. Throws `E_DISK`. */
  look(): void {
    const { budgetAlert: share, hooks } = this.#ports;
    const { cost, given } = this.#ledger.state;
    if (share === undefined || hooks === undefined || given === null || cost === this.#spent) return;
    const { name, budget } = this.#rules.workflow;
    for (const limits of [given.budget, budget])
      for (const { unit, limit, ...part } of spentBudgets(limits, cost, share)) {
        const about = `budget ${unit} ${String(limit)}`;
        if (this.#asked.has(about)) continue;
        const subject = `${part.share} of the budget of ${name} is spent: ${part.text}`;
        const body = `The run ${given.run} of \`${name}\` has cost ${part.text}. When its budget is used up, it ends with \`E_BUDGET\`.`;
        hooks.notify('user', about, subject, body);
        this.#asked.add(about);
      }
    this.#spent = cost;
  }
}
