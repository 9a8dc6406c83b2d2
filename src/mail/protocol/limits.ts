import type { LimitSettings } from '../../config/config.ts';
import { defaultLimits } from '../format/protocol.ts';
import type { Limits } from '../format/protocol.ts';
import type { Budget } from '../../kernel/cost.ts';
import { unlimited } from '../../kernel/money.ts';

/** Key by key: the protocol's value, else that of mailroom.yaml, else the default. */
export function lowerLimits(own: LimitSettings, project: LimitSettings): Limits {
  return {
    turnsPerThread: own.turnsPerThread ?? project.turnsPerThread ?? defaultLimits.turnsPerThread,
    tasksPerHour: own.tasksPerHour ?? project.tasksPerHour ?? defaultLimits.tasksPerHour,
    corrections: own.corrections ?? project.corrections ?? defaultLimits.corrections,
    nesting: own.nesting ?? project.nesting ?? defaultLimits.nesting,
    threadBudget: mergeBudgets(own.threadBudget, project.threadBudget) ?? unlimited,
    dayBudget: mergeBudgets(own.dayBudget, project.dayBudget) ?? unlimited,
    budgetAlert: own.budgetAlert ?? project.budgetAlert,
  };
}

/** The first budget, with its missing units from the second. */
export function mergeBudgets(own: Budget | null, other: Budget | null): Budget | null {
  if (own === null || other === null) return own ?? other;
  return { usd: own.usd ?? other.usd, tokens: own.tokens ?? other.tokens };
}
