import type { JsonObject } from '../../../kernel/json.ts';
import type { Trigger } from '../../model.ts';
import { memoryOf, remember } from './memory.ts';
import type { TriggersMemory } from '../../../letters/triggers-memory.ts';

/** The maximum number of changed files that are listed by name. */
const mostFiles = 1_000;

interface Now {
  readonly now: number;
  readonly fresh: () => string;
}

/**
 * A trigger requests a run. A run that already waits is merged with it: the newest data, and its
 * count raised by one.
 */
export function asked(
  memory: TriggersMemory,
  trigger: string,
  data: JsonObject,
  { now, fresh }: Now,
): TriggersMemory {
  const { waiting } = memoryOf(memory, trigger);
  const start =
    waiting === null
      ? { run: fresh(), trigger, at: now, count: 1, data }
      : { ...waiting, count: waiting.count + 1, data: together(waiting.data, data) };
  return remember(memory, trigger, { waiting: start });
}

/** Merges lists of changed files. */
function together(before: JsonObject, data: JsonObject): JsonObject {
  const files = [before['files'], data['files']];
  if (!files.every((each) => Array.isArray(each))) return data;
  return { ...data, files: union(files[0] as string[], files[1] as string[]) };
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])].toSorted().slice(0, mostFiles);
}

/** Files that a trigger watches have changed. */
export function filesChanged(
  memory: TriggersMemory,
  trigger: string,
  files: readonly string[],
  now: number,
): TriggersMemory {
  const known = memoryOf(memory, trigger).changed?.files ?? [];
  return remember(memory, trigger, { changed: { at: now, files: union(known, files) } });
}

/** A trigger's command ended with 0 and printed this. The first output is only the baseline. */
export function polled(
  memory: TriggersMemory,
  { name, on }: Extract<Trigger, { kind: 'command' }>,
  output: string,
  now: Now,
): TriggersMemory {
  const { printed: previous } = memoryOf(memory, name);
  const after = previous === output ? memory : remember(memory, name, { printed: output });
  const fires = on === 'success' || (previous !== null && previous !== output);
  return fires ? asked(after, name, { output, previous }, now) : after;
}

/** The `trigger` namespace of a run's expressions. */
export function triggerData(
  { trigger, at, count, data }: NonNullable<TriggersMemory['going']>,
  kind: Trigger['kind'],
): JsonObject {
  return { ...data, name: trigger, kind, at: new Date(at).toISOString(), count };
}
