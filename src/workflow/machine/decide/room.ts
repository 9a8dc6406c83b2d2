import {
  fits,
  isLimited,
  reservationOf,
  shortageText,
  sumOf,
  unlimited,
  worst,
  type Fit,
  type Reservation,
} from '../../../kernel/money.ts';
import type { Budget, Cost } from '../../../kernel/cost.ts';
import { isIn, scopesAround, type In } from '../fold/steps.ts';
import { allocation, creditOf, type Credit } from '../credit.ts';
import type { Scope } from '../state.ts';
import { found, type DecisionContext } from './context.ts';

/**
 * The default limit of concurrent processes of a run, so that a wide graph does not flood the
 * machine.
 */
export const defaultConcurrency = 64;

/** Counts processes and money in use, including what this decision round has assigned. */
export class Room {
  readonly #context: DecisionContext;
  #free: number;
  #freeAgents: number;
  /** Processes in bodies with a limit of their own: sub-workflows. */
  readonly #inScope = new Map<string, number>();
  /** The run's money in its currency, and how much is assigned; null: unlimited. */
  readonly #credit: Credit | null;
  #given = { units: 0, launches: 0 };
  /** Launches of each role that was chosen among several. */
  readonly #roles = new Map<string, number>();
  readonly #reserved: (Reservation & { readonly scope: string })[] = [];

  constructor(context: DecisionContext) {
    this.#context = context;
    const { state, rules, slots } = context;
    this.#free = Math.min(slots.processes, rules.workflow.concurrency ?? defaultConcurrency);
    this.#freeAgents = slots.agents;
    this.#credit = creditOf(state);
    for (const path of state.active) {
      const run = state.steps.get(path);
      if (!isIn(run, 'running', 'checking')) continue;
      const { reserves, provider } = run.phase;
      if (reserves?.units !== undefined) this.#given.launches += 1;
      if (run.role !== null) this.employ(run.role);
      if (isIn(run, 'running') && run.phase.waits) this.#reserve(run.scope, reserves);
      else this.take(run.scope, isHere(context, run) ? provider : null, reserves);
    }
  }

  /** Whether no process can start now. */
  get full(): boolean {
    return this.#free <= 0;
  }

  /** Whether no agent can start now. */
  get lacksAgents(): boolean {
    return this.#freeAgents <= 0;
  }

  /**
   * Whether one more process fits into a body; `provider`: the agent's, null: it is not an agent.
   */
  fits(scope: Scope, provider: string | null): boolean {
    if (this.full || (provider !== null && this.lacksAgents)) return false;
    return this.#limited(scope.path).every(({ path, most }) => (this.#inScope.get(path) ?? 0) < most);
  }

  take(scope: string, provider: string | null, reserves: Budget | null): void {
    this.#free -= 1;
    if (provider !== null) this.#freeAgents -= 1;
    for (const { path } of this.#limited(scope)) this.#inScope.set(path, (this.#inScope.get(path) ?? 0) + 1);
    this.#reserve(scope, reserves);
  }

  /**
   * Whether the run has money in its currency for a launch, has none, or must wait for the
   * reservations of others.
   */
  affordUnits(): Fit {
    const credit = this.#credit;
    if (credit === null || this.#context.state.given?.currency?.enforced === false) return 'fits';
    const reserved = credit.reserved + this.#given.units;
    if (credit.total - credit.spent - reserved > 0) return 'fits';
    return reserved > 0 ? 'later' : 'never';
  }

  /** The reservation of a launch: its own limits, and its share of the run's own currency. */
  share(own: Budget | null): Budget | null {
    const credit = this.#credit;
    const root = this.#context.state.scopes.get('');
    if (credit === null || !root) return own;
    const { units, launches } = this.#given;
    const open = (root.total ?? 1) - root.settled - launches;
    const left = credit.total - credit.spent - credit.reserved - units;
    const share = allocation(left, open, own?.units ?? null);
    this.#given = { units: units + share, launches: launches + 1 };
    return { usd: own?.usd ?? null, tokens: own?.tokens ?? null, units: share };
  }

  /** The current launches of a role. */
  busy(role: string): number {
    return this.#roles.get(role) ?? 0;
  }

  employ(role: string): void {
    this.#roles.set(role, this.busy(role) + 1);
  }

  #reserve(scope: string, reserves: Budget | null): void {
    if (reserves) this.#reserved.push({ scope, ...reservationOf(reserves) });
  }

  /** The enclosing sub-workflows that limit how many of their steps run at once. */
  #limited(scope: string): { path: string; most: number }[] {
    const { state, rules } = this.#context;
    if (scope === '') return [];
    return scopesAround(state, { scope }).flatMap(({ path, parameters, body }) => {
      const most = parameters === null || path === '' ? null : rules.bodies.get(body)?.workflow.concurrency;
      return most == null ? [] : [{ path, most }];
    });
  }

  /** Whether the run and the enclosing sub-workflows have money for a launch. */
  afford(scope: Scope, wanted: Budget | null): Fit {
    const { state } = this.#context;
    const whole = this.#afford(state.given?.budget ?? unlimited, state.cost, '', wanted);
    if (scope.path === '') return whole;
    const around = scopesAround(state, { scope: scope.path }).filter(({ path }) => path !== '');
    return worst([
      whole,
      ...around.map(({ path, budget, cost }) => this.#afford(budget, cost, path, wanted)),
    ]);
  }

  /** Why there is never money for a launch: which budget has too little left, and how much. */
  shortage(scope: Scope, wanted: Budget | null): string {
    const { state } = this.#context;
    const around = scopesAround(state, { scope: scope.path }).filter(({ path }) => path !== '');
    const whole = { path: '', budget: state.given?.budget ?? unlimited, cost: state.cost };
    const budgets = [whole, ...around];
    const short = budgets.find(
      ({ budget, cost, path }) => this.#afford(budget, cost, path, wanted) === 'never',
    );
    const { path, budget, cost } = short ?? whole;
    return shortageText(path === '' ? 'the run' : path, budget, cost, wanted);
  }

  #afford(limit: Budget, spent: Cost, path: string, wanted: Budget | null): Fit {
    if (!isLimited(limit)) return 'fits';
    const isWithin = ({ scope }: { readonly scope: string }) =>
      path === '' || `${scope}/`.startsWith(`${path}/`);
    const reserved = sumOf(this.#reserved.filter(isWithin));
    // A launch without a reservation may cost any amount, so something must be left.
    const used =
      (limit.usd !== null && spent.usd >= limit.usd) ||
      (limit.tokens !== null && spent.tokens >= limit.tokens);
    return used ? 'never' : fits(limit, spent, reserved, wanted);
  }
}

/** Whether a process takes a slot of this host: that of a step on a worker takes one there. */
function isHere(context: DecisionContext, run: In<'running' | 'checking'>): boolean {
  if (run.phase.provider === null || run.phase.is === 'checking') return true;
  return found(context, run.path)?.rule.step.on === undefined;
}
