import type { Trigger } from '../../automation.ts';
import type { TriggerMemory, TriggersMemory } from '../../../letters/letters.ts';

const nothing: TriggerMemory = {
  due: null,
  taken: null,
  changed: null,
  printed: null,
  waiting: null,
  unfiltered: null,
  ended: null,
  last: null,
};

export const noMemory: TriggersMemory = { going: null, triggers: {} };

export function memoryOf({ triggers }: TriggersMemory, name: string): TriggerMemory {
  return Object.hasOwn(triggers, name) ? { ...nothing, ...triggers[name] } : nothing;
}

/** The memory with one trigger's entry changed. */
export function remember(
  memory: TriggersMemory,
  name: string,
  change: Partial<TriggerMemory>,
): TriggersMemory {
  const triggers = { ...memory.triggers, [name]: { ...memoryOf(memory, name), ...change } };
  return { ...memory, triggers };
}

/**
 * A host begins: missed times are not made up for, removed triggers are forgotten, and waiting
 * requests remain. Every trigger that the host serves has an entry.
 */
export function taken(memory: TriggersMemory, triggers: readonly Trigger[]): TriggersMemory {
  const entries = triggers.map(
    ({ name }) => [name, { ...memoryOf(memory, name), due: null, changed: null }] as const,
  );
  return { ...memory, triggers: Object.fromEntries(entries) };
}
