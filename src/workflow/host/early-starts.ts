import type { Process } from '../machine/decide.ts';
import type { RunEvent, StepPath } from '../machine/event.ts';

/**
 * The processes that may start while these events are written but not yet durable, so that the disk
 * works meanwhile: first launches of scripts and commands whose needs were durably settled before.
 * A power loss then loses at most the record of their start; their inputs are durable. Agents are
 * excluded: their cost must be recorded.
 */
export function needsNoSync(events: readonly RunEvent[]): (process: Process) => boolean {
  const readied = new Set<StepPath>();
  for (const event of events) {
    if (event.type === 'readied') for (const path of event.paths) readied.add(path);
    else if (!isOrdinary(event)) return () => false;
  }
  return ({ key, step }) =>
    (step.work.kind === 'script' || step.work.kind === 'command') &&
    key.iteration === 1 &&
    key.attempt === 1 &&
    key.check === 0 &&
    !readied.has(key.path);
}

/** Frequent events that do not affect steps that were ready. */
function isOrdinary({ type }: RunEvent): boolean {
  return type === 'started' || type === 'ended' || type === 'settled';
}
