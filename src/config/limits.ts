import type * as z from 'zod';
import type { limits } from '../yaml/schema.ts';
import { unlimited } from '../kernel/money.ts';
import type { LimitSettings } from './config.ts';

type LimitsInput = z.output<typeof limits>;

/** The limits of one file, under the names that the code uses. */
export function limitSettings(limits: LimitsInput | null | undefined): LimitSettings {
  return {
    turnsPerThread: limits?.turns_per_thread ?? null,
    tasksPerHour: limits?.tasks_per_hour ?? null,
    corrections: limits?.corrections ?? null,
    nesting: limits?.nesting ?? null,
    threadBudget: limits?.budget?.thread ?? unlimited,
    dayBudget: limits?.budget?.day ?? unlimited,
    budgetAlert: limits?.budget?.alert ?? null,
  };
}
