import type { Process } from '../../core/workflow/decide.ts';
import type { Path, RunEvent } from '../../core/workflow/event.ts';

/**
 * Tells the processes that may start while these events are written but not yet durable, so that the disk works meanwhile: first
 * launches of scripts and commands whose needs were settled, durably, before. A loss of power then forgets at most that they were
 * started, as if it had come a moment earlier; whatever they were given is not forgotten. Agents are not among them: what they
 * cost must be known.
 */
export function needsNoSync(events: readonly RunEvent[]): (process: Process) => boolean {
  const readied = new Set<Path>();
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

/** What happens all the time, and changes nothing for steps that were ready. */
function isOrdinary({ type }: RunEvent): boolean {
  return type === 'started' || type === 'ended' || type === 'settled';
}
