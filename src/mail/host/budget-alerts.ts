import { spentBudgets } from '../../kernel/spent-budget.ts';
import type { Limits } from '../format/protocol.ts';
import { limitOf } from '../machine/rules/thread-budgets.ts';
import type { MailLedger } from './ledger.ts';
import { notifyOnce } from './refused-files.ts';

/**
 * Notifies `user` when the alert share of the budget of a day or an open thread is spent: once for
 * each budget, as long as the mail remembers the notice, also across restarts.
 */
export class BudgetAlerts {
  readonly #ledger: MailLedger;
  readonly #limits: Limits;
  /** What was spent at the last look; a new object with every cost. */
  #spent: object | null = null;

  constructor(ledger: MailLedger, limits: Limits) {
    this.#ledger = ledger;
    this.#limits = limits;
  }

  look(): void {
    const { budgetAlert: share, dayBudget } = this.#limits;
    const { spent, threads } = this.#ledger.state;
    if (share === null || spent === this.#spent) return;
    this.#spent = spent;
    const { day, cost } = spent;
    for (const { unit, limit, ...part } of spentBudgets(dayBudget, cost, share))
      notifyOnce(
        this.#ledger,
        ['budget of a day', day, unit, String(limit)],
        `${part.share} of the budget of this day is spent: ${part.text}`,
        [
          `On ${day} (UTC), threads have cost ${part.text}.`,
          'When the budget is used up, threads fail with `E_BUDGET`. `limits.budget.day` sets it;',
          '`mailroom costs --since 1d` shows what was paid for.',
        ],
      );
    for (const thread of threads.values()) {
      if (thread.state !== 'open') continue;
      for (const { unit, limit, ...part } of spentBudgets(limitOf(this.#limits, thread), thread.cost, share))
        notifyOnce(
          this.#ledger,
          ['budget of a thread', thread.id, unit, String(limit)],
          `${part.share} of the budget of a thread is spent: ${part.text}`,
          [
            `The thread ${thread.id} has cost ${part.text}.`,
            'When the budget is used up, it fails with `E_BUDGET`. `limits.budget.thread` sets it;',
            `\`mailroom trail ${thread.id}\` shows the thread.`,
          ],
        );
    }
  }
}
