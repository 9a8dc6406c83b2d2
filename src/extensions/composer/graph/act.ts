import { isJsonObject, valueAt, type Json } from '../../../kernel/json.ts';
import type { Operation } from '../../../yaml/edit/edit.ts';
import type { Path } from '../../../yaml/yaml.ts';
import type { Grammar } from '../../../editing/grammar.ts';
import { occurrencesIn } from '../../../editing/occurrences.ts';
import { renameAt } from '../../../editing/rename.ts';
import { edited, isIn, refused, setAt, type Acted, type Acting } from './acting.ts';
import { add, duplicate, paste } from './adding.ts';
import type { Act } from './documents.ts';
import { connect, disconnect, readingOf, withoutNeeds } from './dependencies.ts';
import { arrange, move, reorder, swap } from './places.ts';
import { writtenSteps } from './written.ts';

/**
 * The patches of a source text that do to its graph what a person wants. Other bytes stay; what
 * cannot be done exactly is refused with the reason.
 */
export function act(text: string, file: Json, grammar: Grammar, wish: Act): Acted {
  const { graph: layout } = grammar;
  if (layout === null) return refused('workflows of this language are changed in the text');
  const acting: Acting = { text, file, steps: writtenSteps(file, layout), layout, grammar };
  const missing = namesIn(wish).find((name) => !acting.steps.some(({ id }) => id === name));
  if (missing !== undefined) return refused(`there is no step \`${missing}\``);
  switch (wish.do) {
    case 'add':
      return add(acting, wish);
    case 'duplicate':
      return duplicate(acting, wish.steps);
    case 'paste':
      return paste(acting, wish.language, wish.steps);
    case 'remove':
      return remove(acting, wish.steps, wish.rewire ?? false);
    case 'rename':
      return rename(acting, wish.step, wish.name);
    case 'connect':
      return connect(acting, wish.from, wish.to);
    case 'disconnect':
      return disconnect(acting, wish.from, wish.to);
    case 'move':
      return edited(text, move(acting, wish.positions));
    case 'arrange':
      return edited(text, arrange(acting));
    case 'reorder':
      return reorder(acting, wish.step, wish.before);
    case 'swap':
      return swap(acting, wish.path);
    case 'use':
      return use(acting, wish.artifact, wish.step);
    case 'set':
      return edited(text, setAt(file, wish.path, wish.value));
    case 'unset':
      return edited(text, unsetAt(acting, wish.path));
  }
}

/** The existing steps that an act names. */
function namesIn(wish: Act): readonly string[] {
  switch (wish.do) {
    case 'add':
      return wish.needs ?? [];
    case 'duplicate':
    case 'remove':
      return wish.steps;
    case 'rename':
      return [wish.step];
    case 'use':
      return wish.step === null ? [] : [wish.step];
    case 'connect':
    case 'disconnect':
      return [wish.from, wish.to];
    case 'move':
      return Object.keys(wish.positions);
    case 'reorder':
      return wish.before === null ? [wish.step] : [wish.step, wish.before];
    default:
      return [];
  }
}

function remove(acting: Acting, names: readonly string[], rewire: boolean): Acted {
  const { text, steps } = acting;
  const gone = new Set(names);
  const kept = steps.filter(({ id }) => !gone.has(id));
  if (kept.length === 0) return refused('a workflow has at least one step');
  const waiting = kept.flatMap((step) => withoutNeeds(acting, step, gone, rewire));
  // From the last, so that the indices of the others stay.
  const removals = steps
    .filter(({ id }) => gone.has(id))
    .toReversed()
    .map(({ path }): Operation => ({ do: 'remove', path }));
  const notes = names.flatMap((name) => readingOf(acting, name, kept));
  return edited(text, [...waiting, ...removals], notes);
}

function rename({ text, grammar, steps }: Acting, step: string, name: string): Acted {
  if (step === name) return { ok: true, patches: [], notes: [] };
  const own = steps.filter(({ id }) => id === step);
  const definition = occurrencesIn(text, grammar).find(
    (each) => each.kind === 'step' && each.defines && each.name === step && isIn(each.path, own),
  );
  if (definition === undefined) return refused(`\`${step}\` cannot be renamed here: change it in the text`);
  const renamed = renameAt(text, definition.from, name, grammar);
  return renamed.ok ? { ...renamed, notes: [] } : renamed;
}

function unsetAt({ file, steps }: Acting, path: Path): Operation[] {
  const isStep = (above: Path) => steps.some((step) => step.path.join('\n') === above.join('\n'));
  let end = path;
  for (;;) {
    const above = end.slice(0, -1);
    const parent = valueAt(file, above);
    const isLast = isJsonObject(parent) && Object.keys(parent).length === 1;
    if (above.length === 0 || !isLast || isStep(above)) return [{ do: 'remove', path: end }];
    end = above;
  }
}

/** Where a reference goes in a stage, by its kind: one value, or one more item of a list. */
const targets: Readonly<Record<string, { readonly path: Path; readonly isList: boolean }>> = {
  agent: { path: ['roles', 'primary', 'artifact'], isList: false },
  skill: { path: ['roles', 'tools'], isList: true },
  mcp: { path: ['roles', 'tools'], isList: true },
  ctx: { path: ['context', 'modules'], isList: true },
};

/** Gives an artifact such as `skill:search` to a stage; without one, a module to all stages. */
function use({ text, file, steps, layout }: Acting, ref: string, step: string | null): Acted {
  const [kind = '', name = ''] = ref.split(':', 2);
  const target = Object.hasOwn(targets, kind) ? targets[kind] : undefined;
  if (target === undefined || name === '') return refused(`\`${ref}\` cannot be given to a step`);
  if (layout.id === null)
    return refused('steps of this language have no artifacts: write `agent` or `mcp` in the step');
  if (step === null) {
    if (kind !== 'ctx') return refused(`drop \`${ref}\` on a stage: only modules are for all of them`);
    return given(text, file, ['context', 'global_modules'], ref, true);
  }
  const { value, path } = steps.find(({ id }) => id === step)!;
  const type = value['type'] ?? 'agent';
  if (type === 'gate') return refused(`\`${step}\` is a gate: a person answers it, and needs no \`${ref}\``);
  const own = type === 'fan_out' ? [...path, 'fan_out', 'stage_template'] : path;
  return given(text, file, [...own, ...target.path], ref, target.isList);
}

function given(text: string, file: Json, path: Path, ref: string, isList: boolean): Acted {
  if (!isList) return edited(text, setAt(file, path, ref));
  const there = valueAt(file, path);
  if (!Array.isArray(there)) return edited(text, setAt(file, path, [ref]));
  if (there.includes(ref)) return refused(`\`${path.join('.')}\` has \`${ref}\` already`);
  const adding: Operation = { do: 'add', path: [...path, there.length], value: ref };
  return edited(text, [adding]);
}
