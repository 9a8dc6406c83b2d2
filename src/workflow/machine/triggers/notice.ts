import { evaluateCondition } from '../../../expressions/evaluate.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { nativeLanguage } from '../language.ts';
import type { Trigger } from '../../automation.ts';
import { memoryOf, remember } from './memory.ts';
import type { Start, TriggersMemory } from '../../../letters/letters.ts';

/** The maximum number of changed files that are listed by name. */
const mostFiles = 1_000;

interface Now {
  readonly now: number;
  readonly fresh: () => string;
}

/**
 * A trigger requests a run, unless its filter is not true or cannot be evaluated. A run that
 * already waits is merged with it: the newest data, and its count raised by one.
 */
export function asked(
  before: TriggersMemory,
  trigger: Trigger,
  data: JsonObject,
  { now, fresh }: Now,
): TriggersMemory {
  const { name } = trigger;
  const { waiting, unfiltered } = memoryOf(before, name);
  const passes = passesFilter(trigger, { run: '', trigger: name, at: now, count: 1, data });
  const problem = typeof passes === 'string' ? passes : null;
  const memory = problem === unfiltered ? before : remember(before, name, { unfiltered: problem });
  if (passes !== true) return memory;
  const start =
    waiting === null
      ? { run: fresh(), trigger: name, at: now, count: 1, data }
      : { ...waiting, count: waiting.count + 1, data: together(waiting.data, data) };
  return remember(memory, name, { waiting: start });
}

/** Whether a trigger may start a run; a string: why its filter cannot be evaluated. */
function passesFilter({ filter, kind }: Trigger, start: Start): boolean | string {
  if (filter === undefined) return true;
  const passes = evaluateCondition(filter, { trigger: triggerData(start, kind) }, nativeLanguage);
  if (passes.ok) return passes.value === true;
  return passes.why.kind === 'failed' ? passes.why.message : 'it has no value';
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
  trigger: Extract<Trigger, { kind: 'command' }>,
  output: string,
  now: Now,
): TriggersMemory {
  const { name, on } = trigger;
  const { printed: previous } = memoryOf(memory, name);
  const after = previous === output ? memory : remember(memory, name, { printed: output });
  const fires = on === 'success' || (previous !== null && previous !== output);
  return fires ? asked(after, trigger, { output, previous }, now) : after;
}

/** The `trigger` namespace of a run's expressions. */
export function triggerData(
  { trigger, at, count, data }: NonNullable<TriggersMemory['going']>,
  kind: Trigger['kind'],
): JsonObject {
  return { ...data, name: trigger, kind, at: new Date(at).toISOString(), count };
}
