import type { Template } from '../../../core/expression/template.ts';
import type { Tree } from '../../../core/expression/tree.ts';
import type { Json } from '../../../core/json.ts';
import { didYouMean } from '../../../core/nearest.ts';
import { insideLoop } from '../../../core/workflow/language.ts';
import type { Child, ForEach, While } from '../../../core/workflow/model.ts';
import type { Path } from '../../yaml.ts';
import type { Scribe } from '../scribe.ts';
import { bodyOf } from './sequence.ts';
import type { ForEachInput, StepInput, WhileInput } from './step-schema.ts';
import type { Lowering } from './lowering.ts';

export function lowerForEach(input: ForEachInput, path: Path, lowering: Lowering): ForEach {
  const { scribe, language } = lowering;
  const as = input.as ?? 'item';
  const taken = [...language.namespaces, 'loop'].find((each) => each.toLowerCase() === as.toLowerCase());
  if (taken !== undefined && input.as !== undefined && as !== 'item')
    scribe.error(
      'E_DUPLICATE',
      [...path, 'as'],
      `\`${as}\` means something else in expressions`,
      'give the item another name',
    );
  const steps = lowering.steps(input.steps, [...path, 'steps'], {
    ...lowering,
    language: insideLoop(language, as),
  });
  checkGives(scribe, input, path);
  return {
    kind: 'for-each',
    items: lowerItems(input.items, [...path, 'items'], lowering),
    as,
    concurrency: input.concurrency ?? 1,
    ...(input.gives === undefined ? {} : { gives: input.gives }),
    body: bodyOf(scribe, steps, input, path),
  };
}

function checkGives(scribe: Scribe, { gives, steps }: ForEachInput, path: Path): void {
  if (gives === undefined || Object.hasOwn(steps, gives)) return;
  const names = Object.keys(steps);
  const hint = didYouMean(gives, names) ?? `there is ${names.map((each) => `\`${each}\``).join(', ')}`;
  scribe.error('E_UNKNOWN_NAME', [...path, 'gives'], `no step of the loop is called \`${gives}\``, hint);
}

export function lowerWhile(input: WhileInput, path: Path, lowering: Lowering): While {
  const { scribe } = lowering;
  const language = insideLoop(lowering.language, null);
  const steps = lowering.steps(input.steps, [...path, 'steps'], { ...lowering, language });
  return {
    kind: 'while',
    condition: scribe.expression([...path, 'condition'], input.condition, language),
    maxIterations: input.max_iterations,
    body: bodyOf(scribe, steps, input, path),
  };
}

function lowerItems(
  items: ForEachInput['items'],
  path: Path,
  { scribe, language }: Lowering,
): ForEach['items'] {
  if (typeof items === 'string') return scribe.expression(path, items, language);
  return items;
}

export function lowerChild(input: StepInput, path: Path, lowering: Lowering): Child | null {
  const { scribe, children } = lowering;
  const at = [...path, 'workflow'];
  const workflow = children.child(scribe, at, input.workflow!);
  const given = Object.entries(input.with ?? {}).map(
    ([name, value]) => [name, lowerArgument(value, [...path, 'with', name], lowering)] as const,
  );
  if (workflow === null) return null;
  const exports = (input.exports ?? []).map(({ from, artifact, as = artifact }, index) =>
    scribe.from([...path, 'exports', index], { from, artifact, as }),
  );
  const child: Child = { kind: 'workflow', workflow, with: Object.fromEntries(given), exports };
  return scribe.from(at, child);
}

/** A value that is no text stands for itself. */
function lowerArgument(value: Json, path: Path, { scribe, language }: Lowering): Template {
  const template = typeof value === 'string' ? scribe.template(path, value, language) : [literal(value)];
  return scribe.from(path, template);
}

function literal(value: Exclude<Json, string>): Template[number] {
  const span = { start: 0, end: 0 };
  if (typeof value !== 'object' || value === null)
    return { kind: 'expression', tree: { kind: 'literal', value, span } };
  const text: Tree = { kind: 'literal', value: JSON.stringify(value), span };
  return {
    kind: 'expression',
    tree: { kind: 'call', name: 'fromJSON', nameSpan: span, operands: [text], span },
  };
}
