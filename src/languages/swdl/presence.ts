import { pathOf } from '../../expressions/references.ts';
import type { Template } from '../../expressions/template.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { KnownStage, Lowering } from './facts.ts';

/** Why a source must be there, as part of a sentence, and what else its author can do. */
interface Need {
  readonly what: string;
  readonly instead: string;
}

/** Warns of a source that must be there and is an output that need not: without it the stage fails. */
export function warnOptional(
  source: Template,
  path: Path,
  { what, instead }: Need,
  { diagnostics, stages, file }: Lowering,
): void {
  const [only, other] = source;
  if (only?.kind !== 'expression' || other !== undefined) return;
  const words = pathOf(only.tree)?.map((segment) => segment.name ?? '') ?? [];
  const [namespace = '', stage = '', property = '', output = ''] = words;
  const target = stages.get(stage);
  const type = target?.outputs?.[output];
  if (namespace.toLowerCase() !== 'stages' || property.toLowerCase() !== 'outputs') return;
  if (target === undefined || type === undefined) return;
  const isOptional = !type.required && !('default' in type);
  const why = isOptional ? 'that output is not required' : absenceOf(target, file);
  if (why === null) return;
  diagnostics.warn(
    path,
    `\`${output}\` of \`${stage}\` may be absent, and ${what}: ${why}`,
    `without it the stage fails: make sure that it is there, or ${instead}`,
  );
}

/** Why a stage may have handed over nothing when what comes after it runs; null: it has. */
function absenceOf({ input }: KnownStage, file: Lowering['file']): string | null {
  const { condition = null, error_policy: own } = input;
  if (condition !== null && condition !== true) return 'the condition of that stage may be false';
  const onFailure = own?.on_failure ?? file.error_policy?.on_stage_failure;
  return onFailure === 'continue' ? 'the run continues when that stage fails' : null;
}
