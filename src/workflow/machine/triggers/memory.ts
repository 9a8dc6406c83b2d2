import type { Trigger } from '../../model.ts';
import type { TriggerMemory, TriggersMemory } from '../../../letters/triggers-memory.ts';

const nothing: TriggerMemory = {
  due: null,
  taken: null,
  changed: null,
  printed: null,
  waiting: null,
  ended: null,
  last: null,
};

export const noMemory: TriggersMemory = { going: null, triggers: {} };

export function memoryOf({ triggers }: TriggersMemory, name: string): TriggerMemory {
  return Object.hasOwn(triggers, name) ? { ...nothing, ...triggers[name] } : nothing;
}

/** The same with something else in one trigger. */
export function remember(
  memory: TriggersMemory,
  name: string,
  change: Partial<TriggerMemory>,
): TriggersMemory {
  const triggers = { ...memory.triggers, [name]: { ...memoryOf(memory, name), ...change } };
  return { ...memory, triggers };
}

/**
 * A host begins: what was due while there was none is not made up for, and triggers that the definition does not have
 * any more are forgotten. What had been asked for is not.
 */
export function taken(memory: TriggersMemory, triggers: readonly Trigger[]): TriggersMemory {
  const kept = triggers
    .filter(({ name }) => Object.hasOwn(memory.triggers, name))
    .map(({ name }) => [name, { ...memoryOf(memory, name), due: null, changed: null }] as const);
  return { ...memory, triggers: Object.fromEntries(kept) };
}
