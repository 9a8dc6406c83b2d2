import type { GivenLimits } from '../core/config.ts';
import { defaultLimits } from '../core/mail/protocol.ts';
import type { Budget, Limits } from '../core/mail/protocol.ts';
import type { LimitsInput } from './protocol-schema.ts';

const unlimited: Budget = { usd: null, tokens: null };

/** The limits of one file, in our own words. */
export function givenLimits(limits: LimitsInput | null | undefined): GivenLimits {
  return {
    turnsPerThread: limits?.turns_per_thread ?? null,
    corrections: limits?.corrections ?? null,
    nesting: limits?.nesting ?? null,
    threadBudget: limits?.budget?.thread ?? unlimited,
    dayBudget: limits?.budget?.day ?? unlimited,
  };
}

/** Key by key: what the protocol says, else what mailroom.yaml says, else the default. */
export function lowerLimits(own: GivenLimits, project: GivenLimits): Limits {
  return {
    turnsPerThread: own.turnsPerThread ?? project.turnsPerThread ?? defaultLimits.turnsPerThread,
    corrections: own.corrections ?? project.corrections ?? defaultLimits.corrections,
    nesting: own.nesting ?? project.nesting ?? defaultLimits.nesting,
    threadBudget: mergeBudgets(own.threadBudget, project.threadBudget) ?? unlimited,
    dayBudget: mergeBudgets(own.dayBudget, project.dayBudget) ?? unlimited,
  };
}

/** The first budget, unit by unit completed by the second. */
export function mergeBudgets(own: Budget | null, other: Budget | null): Budget | null {
  if (own === null || other === null) return own ?? other;
  return { usd: own.usd ?? other.usd, tokens: own.tokens ?? other.tokens };
}
