import type { JsonObject } from '../../../kernel/json.ts';
import type { Trigger } from '../../model.ts';
import { memoryOf, remember } from './memory.ts';
import type { TriggersMemory } from '../../../letters/triggers-memory.ts';

/** More changed files than this are not told by name. */
const mostFiles = 1_000;

interface Now {
  readonly now: number;
  readonly fresh: () => string;
}

/** A trigger asks for a run. What it already waits for takes it in: the newest data, and one more of them. */
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

/** Changed files add up. */
function together(before: JsonObject, data: JsonObject): JsonObject {
  const files = [before['files'], data['files']];
  if (!files.every((each) => Array.isArray(each))) return data;
  return { ...data, files: union(files[0] as string[], files[1] as string[]) };
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])].toSorted().slice(0, mostFiles);
}

/** Files that a trigger looks at have changed. */
export function filesChanged(
  memory: TriggersMemory,
  trigger: string,
  files: readonly string[],
  now: number,
): TriggersMemory {
  const known = memoryOf(memory, trigger).changed?.files ?? [];
  return remember(memory, trigger, { changed: { at: now, files: union(known, files) } });
}

/** A trigger's command has ended with 0 and printed this. The first time only tells where things stand. */
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

/** What the expressions of a run see as `trigger`. */
export function triggerData(
  { trigger, at, count, data }: NonNullable<TriggersMemory['going']>,
  kind: Trigger['kind'],
): JsonObject {
  return { ...data, name: trigger, kind, at: new Date(at).toISOString(), count };
}
