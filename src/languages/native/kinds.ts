import { nearest } from '../../kernel/nearest.ts';
import { descriptionAt } from '../../yaml/shape.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import { stepSchema, type StepInput } from './step-schema.ts';

/**
 * The keys that define what a step does, exactly one in each step; and how a step or a check of
 * that kind is called.
 */
export const kindWords = {
  worker: 'a worker',
  provider: 'a provider',
  agent: 'an agent',
  role: 'a role',
  command: 'a command',
  gate: 'a gate',
  for_each: 'a loop',
  while: 'a loop',
  set: 'setting values',
  route: 'a route',
  fail: 'a failure',
  workflow: 'a sub-workflow',
  merge: 'a merge',
  land: 'a landing',
} as const;

export type Kind = keyof typeof kindWords;
export const kinds = Object.keys(kindWords) as Kind[];

/** The kinds that start a process. */
export const workers = ['worker', 'provider', 'agent', 'command'] as const;

const everywhere = ['description', 'depends_on', 'join', 'when', 'next', 'ui'];
const failing = ['on_failure', 'max_retries', 'retry', 'on_retries_exhausted', 'timeout'];
const checked = ['completion_check', 'max_iterations', 'on_iterations_exhausted', 'convergence'];
const producing = ['inputs', 'outputs', 'values', ...failing, ...checked, 'budget'];
/** Kinds whose work is other steps, so that no worker can be asked whether it is complete. */
const bodies: readonly Kind[] = ['for_each', 'while'];
const streams = ['stdin', 'stdout', 'secrets', 'grace', 'idle_timeout', 'on_stall'];
const merging = ['merge', 'on_conflict'];
const processes = ['workspace', 'on', ...merging, 'network', 'env', 'capabilities', ...streams, ...producing];

const agents = [
  ...everywhere,
  'instructions',
  'takes',
  'summary',
  'model',
  'variant',
  'max_steps',
  'max_command_time',
  'mcp',
  'may_configure',
  ...processes,
];

/** The allowed keys of each kind of step. */
export const keysOfKinds: Readonly<Record<Kind, readonly string[]>> = {
  worker: agents,
  provider: agents,
  agent: [...agents, 'provider'],
  role: [...everywhere, 'instructions', ...producing],
  command: [...everywhere, ...processes],
  gate: [...everywhere, 'on_failure'],
  for_each: [...everywhere, 'on_failure', 'timeout'],
  while: [...everywhere, 'on_failure', 'timeout'],
  set: everywhere,
  route: everywhere.filter((key) => key !== 'next'),
  fail: everywhere.filter((key) => key !== 'next'),
  workflow: [
    ...everywhere,
    'with',
    'exports',
    'exports_mode',
    'bubble_subworkflow_events',
    ...failing,
    ...checked,
    'budget',
  ],
  merge: [...everywhere, 'on_conflict', ...failing],
  land: [...everywhere, ...failing],
};

/** The other required keys of a step's kind, or of a check. */
const needed: Readonly<Partial<Record<Kind, readonly (keyof StepInput)[]>>> = {
  worker: ['instructions', 'capabilities'],
  provider: ['instructions', 'capabilities'],
  role: ['instructions'],
};

/**
 * The kind of a step; null, and reported, if it has none or several. Also reports keys that do not
 * fit the kind.
 */
export function kindOf(diagnostics: Diagnostics, input: StepInput, path: Path): Kind | null {
  // Beside an agent, a provider is one of the settings that replace the agent's own. A merge may
  // have a worker.
  const hasWorker = workers.some((each) => input[each] !== undefined);
  const [kind, ...others] = kinds.filter(
    (each) =>
      input[each] !== undefined &&
      !(each === 'provider' && input.agent !== undefined) &&
      !(each === 'merge' && hasWorker),
  );
  if (kind === undefined) {
    const hint = `give it one of ${kinds.map((each) => `\`${each}\``).join(', ')}`;
    diagnostics.error(
      'E_MISSING_KEY',
      path,
      `nothing says what \`${String(path.at(-1))}\` does`,
      hint,
      'key',
    );
    return null;
  }
  for (const other of others)
    diagnostics.error(
      'E_WORKFLOW',
      [...path, other],
      `a step is ${kindWords[kind]} or ${kindWords[other]}, not both`,
      null,
      'key',
    );
  if (others.length > 0) return null;
  const keys = keysOfKinds[kind];
  for (const key of Object.keys(input))
    if (key !== kind && !keys.includes(key)) unfit(diagnostics, kind, [...path, key]);
  for (const key of needed[kind] ?? []) if (input[key] === undefined) missing(diagnostics, key, path, kind);
  return kind;
}

function unfit(diagnostics: Diagnostics, kind: Kind, path: Path): void {
  const key = String(path.at(-1));
  const message = `\`${key}\` does nothing in a step that is ${kindWords[kind]}`;
  diagnostics.error('E_UNKNOWN_KEY', path, message, hintFor(key, kind), 'key');
}

function hintFor(key: string, kind: Kind): string {
  if (checked.includes(key) && bodies.includes(kind))
    return 'a step inside it may have one; a `while` loop repeats several steps';
  const near = nearest(key, keysOfKinds[kind]);
  return near === null ? `there it has ${keysOfKinds[kind].join(', ')}` : `did you mean \`${near}\`?`;
}

/** Reports a missing key that a worker requires: `instructions`, `capabilities`. */
export function missing(diagnostics: Diagnostics, key: string, path: Path, kind: Kind): void {
  const description = descriptionAt(stepSchema, [key]);
  const message = `\`${key}\` is missing in \`${String(path.at(-1))}\`, which is ${kindWords[kind]}`;
  diagnostics.error(
    'E_MISSING_KEY',
    path,
    message,
    description === null ? null : `\`${key}\`: ${description}`,
    'key',
  );
}
