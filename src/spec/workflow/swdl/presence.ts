import { pathOf } from '../../../core/expression/references.ts';
import type { Template } from '../../../core/expression/template.ts';
import type { Path } from '../../yaml.ts';
import type { KnownStage, Lowering } from './facts.ts';

/** Warns of a required input whose source is an output that need not be there: without it the stage fails. */
export function warnOptional(source: Template, path: Path, name: string, { scribe, stages }: Lowering): void {
  const [only, other] = source;
  if (only?.kind !== 'expression' || other !== undefined) return;
  const words = pathOf(only.tree)?.map((segment) => segment.name ?? '') ?? [];
  const [namespace = '', stage = '', property = '', output = ''] = words;
  const target = stages.get(stage);
  const type = target?.outputs?.[output];
  if (namespace.toLowerCase() !== 'stages' || property.toLowerCase() !== 'outputs') return;
  if (target === undefined || type === undefined) return;
  const isOptional = !type.required && !('default' in type);
  const why = isOptional ? 'that output is not required' : absenceOf(target);
  if (why === null) return;
  scribe.warn(
    path,
    `\`${output}\` of \`${stage}\` may be absent, and the input \`${name}\` is required: ${why}`,
    'without it the stage fails: make sure that it is there, or do not require it',
  );
}

/** Why a stage may have handed over nothing when what comes after it runs; null: it has. */
function absenceOf({ input }: KnownStage): string | null {
  if (input.condition !== undefined) return 'the condition of that stage may be false';
  return input.error_policy?.on_failure === 'continue' ? 'the run continues when that stage fails' : null;
}
