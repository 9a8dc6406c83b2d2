import { valueAt, type Json } from '../../kernel/json.ts';
import type { Operation } from '../../yaml/edit/edit.ts';
import type { Path } from '../../yaml/yaml.ts';
import { edited, refused, setAt, type Acted, type Acting } from './acting.ts';

/** Where a reference goes in a stage, by its kind: one value, or one more item of a list. */
const targets: Readonly<Record<string, { readonly path: Path; readonly isList: boolean }>> = {
  agent: { path: ['roles', 'primary', 'artifact'], isList: false },
  skill: { path: ['roles', 'tools'], isList: true },
  mcp: { path: ['roles', 'tools'], isList: true },
  ctx: { path: ['context', 'modules'], isList: true },
};

/** Gives an artifact such as `skill:search` to a stage; without one, a module to all stages. */
export function use({ text, file, steps, layout }: Acting, ref: string, step: string | null): Acted {
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
