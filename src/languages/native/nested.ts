import { constant } from '../../expressions/build.ts';
import { referencesOf } from '../../expressions/references.ts';
import { opening, render, treesOf, type Template } from '../../expressions/template.ts';
import { toText } from '../../expressions/values.ts';
import type { Json } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { insideLoop, insideRound, machineLanguage } from '../../workflow/machine/language.ts';
import type { Child, ForEach, While, Workflow } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import { checkShared } from './checkouts.ts';
import { bodyOf } from './sequence.ts';
import type { ForEachInput, StepInput, WhileInput } from './step-schema.ts';
import type { Lowering } from './lowering.ts';

export function lowerForEach(input: ForEachInput, path: Path, lowering: Lowering): ForEach {
  const { diagnostics, language } = lowering;
  const as = input.as ?? 'item';
  const taken = [...language.namespaces, 'loop'].find((each) => each.toLowerCase() === as.toLowerCase());
  if (taken !== undefined && input.as !== undefined && as !== 'item')
    diagnostics.error(
      'E_DUPLICATE',
      [...path, 'as'],
      `\`${as}\` means something else in expressions`,
      'give the item another name',
    );
  const isOwn = input.isolation === 'worktree';
  if (lowering.isolated && !isOwn && (input.concurrency ?? 1) > 1)
    diagnostics.error(
      'E_WORKFLOW',
      [...path, 'concurrency'],
      'items at the same time cannot share the git worktree of the item around them',
      'give each its own: `isolation: worktree`',
    );
  const isolated = isOwn || lowering.isolated;
  const steps = lowering.steps(input.steps, [...path, 'steps'], {
    ...lowering,
    isolated,
    language: insideLoop(language, as),
  });
  checkGives(diagnostics, input, path);
  const body = bodyOf(diagnostics, steps, input, path);
  if (isolated) checkShared(diagnostics, body, path);
  return {
    kind: 'for-each',
    items: lowerItems(input.items, [...path, 'items'], lowering),
    as,
    ...(input.key !== undefined && { key: lowerKey(input, input.key, [...path, 'key'], lowering) }),
    concurrency: input.concurrency ?? 1,
    ...(input.gives === undefined ? {} : { gives: input.gives }),
    ...(isOwn && { isolated: true as const }),
    body,
  };
}

/** Refuses a key that surely names two items. */
function lowerKey(
  { items, as = 'item' }: ForEachInput,
  text: string,
  path: Path,
  { diagnostics, language: outside }: Lowering,
): Template {
  const language = insideLoop(outside, as);
  const before = diagnostics.problems.length;
  const key: Template = text.includes(opening)
    ? diagnostics.template(path, text, language)
    : [{ kind: 'expression', tree: diagnostics.expression(path, text, language) }];
  const read = treesOf(key).flatMap((tree) => referencesOf(tree, language));
  const names = new Set(read.map(({ path: [first] }) => first?.name?.toLowerCase() ?? ''));
  const own = ['loop', 'item', as.toLowerCase()].filter((name) => names.delete(name));
  if (diagnostics.problems.length > before) return key;
  const values = typeof items === 'string' || names.size > 0 ? [] : items;
  const keys = values.map((item, index) =>
    render(key, { item, [as]: item, loop: { index } }, machineLanguage),
  );
  const texts = keys.flatMap((each) => (each.ok ? (toText(each.value) ?? []) : []));
  const twice = texts.find((each, index) => texts.indexOf(each) < index);
  const isSame = own.length === 0 && (typeof items === 'string' || items.length > 1);
  const problem = isSame ? 'every item has the same `key`' : `two items have the key \`${twice ?? ''}\``;
  if (isSame || twice !== undefined)
    diagnostics.error('E_WORKFLOW', path, problem, 'read in it what differs: `${{ item }}`');
  return diagnostics.from(path, key);
}

function checkGives(diagnostics: Diagnostics, { gives, steps }: ForEachInput, path: Path): void {
  if (gives === undefined || Object.hasOwn(steps, gives)) return;
  const names = Object.keys(steps);
  const hint = didYouMean(gives, names) ?? `there is ${names.map((each) => `\`${each}\``).join(', ')}`;
  diagnostics.error('E_UNKNOWN_NAME', [...path, 'gives'], `no step of the loop is called \`${gives}\``, hint);
}

export function lowerWhile(input: WhileInput, path: Path, lowering: Lowering): While {
  const { diagnostics } = lowering;
  const language = insideLoop(lowering.language, null);
  const inside = { ...lowering, language: insideRound(lowering.language) };
  const steps = lowering.steps(input.steps, [...path, 'steps'], inside);
  const body = bodyOf(diagnostics, steps, input, path);
  if (lowering.isolated) checkShared(diagnostics, body, path);
  return {
    kind: 'while',
    condition: diagnostics.expression([...path, 'condition'], input.condition, language),
    maxIterations: input.max_iterations,
    body,
  };
}

function lowerItems(
  items: ForEachInput['items'],
  path: Path,
  { diagnostics, language }: Lowering,
): ForEach['items'] {
  if (typeof items === 'string') return diagnostics.expression(path, items, language);
  return items;
}

export function lowerChild(input: StepInput, path: Path, lowering: Lowering): Child | null {
  const { diagnostics, readChild } = lowering;
  const at = [...path, 'workflow'];
  const workflow = readChild(diagnostics, at, input.workflow!);
  const given = Object.entries(input.with ?? {}).map(
    ([name, value]) => [name, lowerArgument(value, [...path, 'with', name], lowering)] as const,
  );
  if (workflow === null) return null;
  const named = (input.exports ?? []).map(({ from, artifact, as = artifact }, index) =>
    diagnostics.from([...path, 'exports', index], { from, artifact, as }),
  );
  const others = input.exports_mode === 'all' ? otherExports(workflow, named) : [];
  const mode = [...path, 'exports_mode'];
  const exports = [...named, ...others.map((each) => diagnostics.from(mode, each))];
  const child: Child = { kind: 'workflow', workflow, with: Object.fromEntries(given), exports };
  return diagnostics.from(at, child);
}

/** Artifacts of a sub-workflow's steps that are not exported by name, without those in loops. */
function otherExports({ body }: Workflow, named: Child['exports']): Child['exports'] {
  return body.steps.flatMap(({ id, work, outputs }) => {
    const artifacts =
      work.kind === 'workflow' ? work.exports.map(({ as }) => as) : outputs.map(({ name }) => name);
    return artifacts
      .filter((artifact) => !named.some((each) => each.from === id && each.artifact === artifact))
      .map((artifact) => ({ from: id, artifact, as: artifact }));
  });
}

/** A value that is not a string is used unchanged. */
function lowerArgument(value: Json, path: Path, { diagnostics, language }: Lowering): Template {
  const template: Template =
    typeof value === 'string'
      ? diagnostics.template(path, value, language)
      : [{ kind: 'expression', tree: constant(value) }];
  return diagnostics.from(path, template);
}
