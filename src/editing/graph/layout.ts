import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { keysOfKinds as keysOfSteps } from '../../languages/native/kinds.ts';
import { keysOfKinds as keysOfStages } from '../../languages/swdl/kinds.ts';
import type { Path } from '../../yaml/yaml.ts';

/** One kind of steps of a language. */
interface StepKind {
  readonly name: string;
  /** The keys that a step of it may have. */
  readonly keys: readonly string[];
  /** Whether a step as written is of this kind. */
  readonly fits: (step: JsonObject) => boolean;
  /**
   * A new step without its name; null: it needs more than that to be valid. `like`: the other
   * steps.
   */
  readonly make: (name: string, like: readonly JsonObject[]) => JsonObject | null;
}

/** Where the steps of a language stand in its files, and how they are written. */
export interface Layout {
  readonly steps: 'stages' | 'steps';
  /** The key that names a step of a list; null: the steps are a mapping by their names. */
  readonly id: 'id' | null;
  readonly condition: 'condition' | 'when';
  /** The keys before `depends_on`, in the usual order. */
  readonly head: readonly string[];
  /** The first kind that fits is that of a step. */
  readonly kinds: readonly StepKind[];
}

/** A step as its author wrote it. */
export interface WrittenStep {
  readonly id: string;
  /** Of the step in the file. */
  readonly path: Path;
  readonly value: JsonObject;
}

/** The steps of a file's own body, in its order; those that have no name are left out. */
export function writtenSteps(file: Json, { steps: key, id }: Layout): WrittenStep[] {
  const steps = isJsonObject(file) ? file[key] : undefined;
  if (id === null)
    return Object.entries(isJsonObject(steps) ? steps : {}).flatMap(([name, value]) =>
      isJsonObject(value) ? { id: name, path: [key, name], value } : [],
    );
  return (Array.isArray(steps) ? steps : []).flatMap((value: Json, index): WrittenStep[] => {
    const name = isJsonObject(value) ? value[id] : undefined;
    return isJsonObject(value) && typeof name === 'string' ? [{ id: name, path: [key, index], value }] : [];
  });
}

/** What a step waits for, entry by entry as in `depends_on`; `when`: the condition of the entry. */
export function needsOf({
  depends_on: needs,
}: JsonObject): { readonly step: string; readonly when: string | null }[] {
  return (Array.isArray(needs) ? needs : []).map((entry: Json) => {
    const { step = '', when = null } = isJsonObject(entry) ? entry : { step: entry };
    return { step: typeof step === 'string' ? step : '', when: typeof when === 'string' ? when : null };
  });
}

/** The value of a key in the first of some steps that has it. */
function borrowed(steps: readonly JsonObject[], ...path: readonly string[]): Json | undefined {
  for (const step of steps) {
    let here: Json | undefined = step;
    for (const key of path) here = isJsonObject(here) ? here[key] : undefined;
    if (here !== undefined) return here;
  }
  return undefined;
}

const ofType = (type: string) => (step: JsonObject) => step['type'] === type;
const agentRoles = (like: readonly JsonObject[]): JsonObject => ({
  primary: { artifact: borrowed(like, 'roles', 'primary', 'artifact') ?? 'agent:worker' },
});

export const stagesLayout: Layout = {
  steps: 'stages',
  id: 'id',
  condition: 'condition',
  head: ['id', 'name', 'description'],
  kinds: [
    {
      name: 'gate',
      keys: keysOfStages.gate,
      fits: ofType('gate'),
      make: () => ({ type: 'gate', gate: { kind: 'manual_approval', message: 'Continue?' } }),
    },
    {
      name: 'fan_out',
      keys: keysOfStages.fan_out,
      fits: ofType('fan_out'),
      make: (_name, like) => ({
        type: 'fan_out',
        fan_out: { source: ['first'], stage_template: { roles: agentRoles(like) } },
      }),
    },
    {
      name: 'agent',
      keys: keysOfStages.agent,
      fits: () => true,
      make: (_name, like) => ({ roles: agentRoles(like) }),
    },
  ],
};

/** Who does the work of the first step that says it. */
function workerOf(like: readonly JsonObject[]): JsonObject {
  for (const key of ['agent', 'role', 'provider', 'worker']) {
    const found = borrowed(like, key);
    if (typeof found === 'string' && found !== 'CUSTOM') return { [key]: found };
  }
  return { worker: 'CLAUDE_CODE' };
}

function stepKind(name: Exclude<keyof typeof keysOfSteps, 'worker'>, make: StepKind['make']): StepKind {
  return {
    name,
    keys: [name, ...keysOfSteps[name]],
    fits: (step) => Object.hasOwn(step, name),
    make,
  };
}

export const stepsLayout: Layout = {
  steps: 'steps',
  id: null,
  condition: 'when',
  head: ['description'],
  kinds: [
    stepKind('command', (name) => ({ command: ['echo', name] })),
    stepKind('gate', () => ({ gate: { message: 'Continue?' } })),
    stepKind('for_each', () => ({
      for_each: { items: ['first'], steps: { work: { command: ['echo', '${{ item }}'] } } },
    })),
    stepKind('while', () => ({
      while: {
        condition: '${{ loop.iteration < 3 }}',
        max_iterations: 3,
        steps: { work: { command: ['echo', 'again'] } },
      },
    })),
    stepKind('set', () => null),
    stepKind('workflow', () => null),
    {
      name: 'agent',
      keys: [...new Set(['agent', 'role', 'provider', 'worker', ...keysOfSteps.agent, ...keysOfSteps.role])],
      fits: () => true,
      make: (_name, like) => ({
        ...workerOf(like),
        capabilities: ['READ'],
        instructions: 'Say what is to be done.',
      }),
    },
  ],
};
