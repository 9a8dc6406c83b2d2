import { stepPrompt } from '../machine/prompt.ts';
import type { Process } from '../machine/decide.ts';
import type { ProcessKey, RunEvent, StepPath } from '../machine/event.ts';
import type { Launch, Prepared } from '../machine/launch.ts';
import type { RunPorts } from './ports.ts';

/** Whether a process is an agent's on this host; their slots are limited separately. */
export function isAgent({ key, step }: Process): boolean {
  if (key.check === 0) return step.work.kind === 'agent' && step.on === undefined;
  return step.check?.work.kind === 'agent';
}

/** A process's key as a string, unique within its run. */
export function keyText({ path, iteration, attempt, check }: ProcessKey): string {
  return `${path}@${String(iteration)}.${String(attempt)}.${String(check)}`;
}

export function byKey(processes: readonly Process[]): Map<string, Process> {
  return new Map(processes.map((process) => [keyText(process.key), process]));
}

/** Whether the verdict depends on changed files. */
export function measured({ check, convergence }: Launch): boolean {
  if (check === null || convergence === null) return false;
  return convergence.allowedPaths.length > 0 || convergence.maxChangedFiles !== null;
}

/** The prompt of an agent; a prompt file is used unchanged. Null: it is not an agent. */
export function promptOf(launch: Launch, prepared: Prepared): string | null {
  const { work } = launch;
  if (work.kind !== 'agent') return null;
  return prepared.stdin !== null && work.instructions === '' ? prepared.stdin : stepPrompt(launch, prepared);
}

/** Maximum number of characters from the end of a log for an agent. */
const logCharacters = 8 * 1024;

/** A launch with the logs of earlier processes, which are read only now, when needed. */
export function withLogs(
  launch: Launch,
  { files, providers }: Pick<RunPorts, 'files' | 'providers'>,
): Launch {
  if (!launch.promptInputs.some(({ log }) => log !== null)) return launch;
  const promptInputs = launch.promptInputs.map((taken) => {
    if (taken.log === null) return taken;
    const { key, provider } = taken.log;
    const said = providers.get(provider ?? '')?.said ?? ((printed: string) => printed);
    return { ...taken, value: files.tail(key, logCharacters, said) };
  });
  return { ...launch, promptInputs };
}

/** The launch of a worker that must first resolve a conflict in its checkout; null: none. */
export function withConflict(launch: Launch, conflict: string | null): Launch {
  const { checkout } = launch;
  return checkout === undefined ? launch : { ...launch, checkout: { ...checkout, conflict } };
}

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
