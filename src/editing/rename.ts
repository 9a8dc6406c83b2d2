import { applyPatches, type Patch } from '../yaml/edit/edit.ts';
import { parseYaml } from '../yaml/yaml.ts';
import type { Grammar } from './grammar.ts';
import { occurrencesIn, type Occurrence } from './occurrences.ts';

/** The patches of a source text in order; or why the name is not changed. */
export type Renamed =
  { readonly ok: true; readonly patches: readonly Patch[] } | { readonly ok: false; readonly why: string };

/** Kinds of names that a source text can rename as a whole. */
const renamed: ReadonlySet<Occurrence['kind']> = new Set(['step', 'parameter', 'artifact', 'type']);

/** The name at an offset. */
export function occurrenceAt(occurrences: readonly Occurrence[], offset: number): Occurrence | undefined {
  return occurrences.find(({ from, to }) => from <= offset && offset <= to);
}

/** The largest text that is changed, in characters. */
const largest = 4 * 1024 * 1024;

/**
 * Renames what is named at an offset, and every reference to it: dependencies, inputs, expressions
 * in strings and scripts. The result is read again; if it does not say the same under the new name,
 * nothing changes.
 */
export function renameAt(text: string, offset: number, name: string, grammar: Grammar): Renamed {
  const refused = (why: string): Renamed => ({ ok: false, why });
  if (!parseYaml(text, '', 1, largest).ok) return refused('the text has errors: correct them first');
  const all = occurrencesIn(text, grammar);
  const at = occurrenceAt(all, offset);
  if (at === undefined || !renamed.has(at.kind)) return refused('there is no name here that can be changed');
  const same = (each: Occurrence) => each.kind === at.kind && each.name === at.name;
  if (!all.some((each) => same(each) && each.defines))
    return refused(`\`${at.name}\` is not defined in this file`);
  if (!/^[A-Za-z0-9_][\w.-]*$/.test(name))
    return refused('a name has letters, digits, `_`, `-` and `.`, and does not begin with `-` or `.`');
  if (name === at.name) return { ok: true, patches: [] };
  if (all.some((each) => each.kind === at.kind && each.name === name))
    return refused(`\`${name}\` is a name of this file already`);
  const patches = all.filter(same).map(({ from, to }): Patch => ({ from, to, insert: name }));
  const changed = applyPatches(text, patches);
  const after = parseYaml(changed, '', 1, largest).ok ? occurrencesIn(changed, grammar) : [];
  const says = (list: readonly Occurrence[], old: string) =>
    JSON.stringify(
      list.map((each) => [each.kind, each.name === old && each.kind === at.kind ? name : each.name]),
    );
  return says(after, name) === says(all, at.name)
    ? { ok: true, patches }
    : refused(`\`${name}\` would not be read as a name in every place: edit this one as text`);
}
