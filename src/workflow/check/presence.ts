import { pathOf } from '../../expressions/references.ts';
import type { Input, Step } from '../model.ts';
import { findName, findStep, isNamespace, type Here } from './meaning.ts';
import { field, type At, type CheckReport } from './report.ts';

/** Warns of a required input that takes an artifact which need not be there. */
export function checkInputPresence(input: Input, source: Step, report: CheckReport): void {
  if (!input.required) return;
  const isOptional = source.outputs.find(({ name }) => name === input.artifact)?.required === false;
  const why = isOptional ? 'that output is not required' : absenceOf(source);
  if (why !== null)
    warn(report, field(input, 'required'), `the artifact \`${input.artifact}\` of \`${source.id}\``, why);
}

/** The same of a required value that an agent is given. */
export function checkTakenPresence({ takes = [] }: Step, { report, place }: Here): void {
  for (const taken of takes) {
    const [only, other] = taken.source;
    if (!taken.required || only?.kind !== 'expression' || other !== undefined) continue;
    const path = pathOf(only.tree);
    if (path === null || !isNamespace(path, 'steps')) continue;
    const found = findStep(path[1]?.name ?? '', place);
    const name = path[3]?.name;
    if (found === null || name == null) continue;
    const source = found.graph.steps[found.target]!;
    const type = findName(source.values, name);
    if (type === undefined) continue;
    const isOptional = !type.required && !('default' in type);
    const why = isOptional ? 'that output is not required' : absenceOf(source);
    if (why !== null)
      warn(report, { node: taken.source, span: only.tree.span }, `\`${name}\` of \`${source.id}\``, why);
  }
}

/** Why a step may have handed over nothing when what comes after it runs; null: it has. */
function absenceOf({ when, onFailure }: Step): string | null {
  if (when !== null) return 'its condition may be false';
  return onFailure === 'continue' || onFailure === 'skip' ? 'the run continues when it fails' : null;
}

function warn(report: CheckReport, at: At, what: string, why: string): void {
  const hint = 'without it the step fails: make sure that it is there, or do not require it';
  report.add('E_WORKFLOW', 'warning', at, `${what} may be absent, and is required here: ${why}`, hint);
}
