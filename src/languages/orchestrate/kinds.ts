import { nearest } from '../../kernel/nearest.ts';
import { ownValue } from '../../kernel/own.ts';
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

export function reportDeferred(diagnostics: Diagnostics, path: Path, key: string): void {
  diagnostics.error(
    'E_UNKNOWN_KEY',
    [...path, key],
    `\`${key}\` is not there in this language`,
    ownValue(deferred, key) ?? null,
    'key',
  );
}

/**
 * The kind of a step; null, and reported, if it has none or several. Also reports keys that do not
 * fit the kind.
 */
export function kindOf(diagnostics: Diagnostics, input: StepInput, path: Path): Kind | null {
  for (const key of Object.keys(deferred))
    if (Object.hasOwn(input, key)) reportDeferred(diagnostics, path, key);
  if (input.for_each && 'parallel' in input.for_each)
    reportDeferred(diagnostics, [...path, 'for_each'], 'parallel');
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
    if (key !== kind && !known.includes(key) && !isReportedElsewhere(key, kind)) {
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

function isReportedElsewhere(key: string, kind: Kind): boolean {
  return ownValue(deferred, key) !== undefined || (key === 'prompt_file' && kind === 'command');
}

/** The hint for an unknown key, without reserved keys. */
export function withoutDeferred(hint: string | null): string | null {
  const names = Object.keys(deferred);
  const meant = names.find((name) => hint === `did you mean \`${name}\`?`);
  if (meant !== undefined) return ownValue(deferred, meant) ?? null;
  return hint?.startsWith('the keys are ') === true
    ? hint.replaceAll(/, (\w+)/g, (all, name: string) => (names.includes(name) ? '' : all))
    : hint;
}
