import { nearest } from '../../kernel/nearest.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { StepInput } from './schema.ts';

/** The keys that define what a step does; each step has exactly one of them. */
const kinds = ['command', 'provider', 'for_each', 'while', 'set_context'] as const;
export type Kind = (typeof kinds)[number];

const everywhere = ['name', 'when', 'on', 'allow_missing_vars'];
const processes = [...everywhere, 'input_file', 'output_file', 'timeout', 'retry', 'secrets'];
const agents = ['prompt_file', 'model', 'max_tokens', 'capabilities'];
const loops = [...everywhere, 'timeout'];

/** The allowed keys of each kind of step. */
const keysOfKinds: Readonly<Record<Kind, readonly string[]>> = {
  command: processes,
  provider: [...processes, ...agents],
  for_each: loops,
  while: loops,
  set_context: everywhere,
};

/** Keys that the language reserves for later, and their replacements here. */
const deferred: Readonly<Record<string, string>> = {
  parallel: 'a native workflow runs as many steps at once as its dependencies allow; see docs/workflows.md',
  limits: '`timeout` is the limit of a step; a native workflow has budgets, too',
  input_files: 'a native workflow has `inputs`, as many as a step needs',
  catch: '`on.failure` and `on.timeout` say where to continue; a native workflow has `on_failure`',
  strict_flow: 'a native workflow runs by dependencies: see docs/workflows.md',
};

export function tellDeferred(diagnostics: Diagnostics, path: Path, key: string): void {
  diagnostics.error(
    'E_UNKNOWN_KEY',
    [...path, key],
    `\`${key}\` is not there in this language`,
    deferred[key] ?? null,
    'key',
  );
}

/**
 * The kind of a step; null, and reported, if it has none or several. Also reports keys that do not
 * fit the kind.
 */
export function kindOf(diagnostics: Diagnostics, input: StepInput, path: Path): Kind | null {
  for (const key of Object.keys(deferred)) if (key in input) tellDeferred(diagnostics, path, key);
  if (input.for_each && 'parallel' in input.for_each)
    tellDeferred(diagnostics, [...path, 'for_each'], 'parallel');
  const [kind, other] = kinds.filter((each) => input[each] !== undefined);
  if (kind === undefined) {
    // The problem reported for `parallel` is sufficient.
    if ('parallel' in input) return null;
    const hint = `give it one of ${kinds.map((each) => `\`${each}\``).join(', ')}`;
    diagnostics.error('E_MISSING_KEY', path, `nothing says what \`${input.name}\` does`, hint, 'key');
    return null;
  }
  if (other !== undefined) {
    const message = `a step has \`${kind}\` or \`${other}\`, not both`;
    diagnostics.error('E_WORKFLOW', [...path, other], message, null, 'key');
    return null;
  }
  const known = keysOfKinds[kind];
  for (const key of Object.keys(input))
    if (key !== kind && !known.includes(key) && !isToldElsewhere(key, kind)) {
      const near = nearest(key, known);
      const hint = near === null ? `there it has ${known.join(', ')}` : `did you mean \`${near}\`?`;
      diagnostics.error(
        'E_UNKNOWN_KEY',
        [...path, key],
        `\`${key}\` does nothing beside \`${kind}\``,
        hint,
        'key',
      );
    }
  return kind;
}

function isToldElsewhere(key: string, kind: Kind): boolean {
  return deferred[key] !== undefined || (key === 'prompt_file' && kind === 'command');
}

/** Keys of other languages, and their replacements here. */
const elsewhere: Readonly<Record<string, string>> = {
  on_success: 'it is `on: { success: { goto: … } }`',
  on_failure: 'it is `on: { failure: { goto: … } }`',
  on_timeout: 'it is `on: { timeout: { goto: … } }`',
  next: 'it is `on: { success: { goto: … } }`',
  goto: 'it is `on: { success: { goto: … } }`',
  depends_on: 'steps run one after another, by `on`; `when: { step_ok: … }` asks for another step',
  needs: 'steps run one after another, by `on`; `when: { step_ok: … }` asks for another step',
  if: 'it is `when`',
  condition: 'it is `when`',
  run: 'it is `command: [program, argument]`; a script is `command: [sh, -c, "…"]`',
  script: 'it is `command: [sh, -c, "…"]`',
  shell: 'it is `command: [sh, -c, "…"]`',
  prompt: 'a prompt is a file: `prompt_file: prompts/a.md`',
  instructions: 'a prompt is a file: `prompt_file: prompts/a.md`',
  input: 'it is `input_file`',
  inputs: 'it is `input_file`',
  output: 'it is `output_file`',
  outputs: 'it is `output_file`',
  attempts: 'it is `retry: { attempts: … }`',
  in: 'it is `items`',
  do: 'it is `steps`',
  env: 'variables that may be read are named under `env` of the workflow',
};

/**
 * A better hint for an unknown key, from the message that reports it and its hint so far, which
 * does not name reserved keys.
 */
export function betterHint(message: string, hint: string | null): string | null {
  const [, key = ''] = /^`([^`]+)` is not a key of a (?:step|loop|while loop)$/.exec(message) ?? [];
  if (Object.hasOwn(elsewhere, key)) return elsewhere[key] ?? null;
  const names = Object.keys(deferred);
  const meant = names.find((name) => hint === `did you mean \`${name}\`?`);
  if (meant !== undefined) return deferred[meant] ?? null;
  return hint?.startsWith('the keys are ') === true
    ? hint.replaceAll(/, (\w+)/g, (all, name: string) => (names.includes(name) ? '' : all))
    : hint;
}
