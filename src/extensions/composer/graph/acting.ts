import { valueAt, type Json } from '../../../kernel/json.ts';
import { edit, type Operation, type Patch } from '../../../yaml/edit/edit.ts';
import type { Path } from '../../../yaml/yaml.ts';
import type { Grammar } from '../../../editing/grammar.ts';
import type { Layout } from '../../../languages/shared/editor.ts';
import type { WrittenStep } from './written.ts';

/** Patches in order, and what a person should know of them; or why nothing is changed. */
export type Acted =
  | { readonly ok: true; readonly patches: readonly Patch[]; readonly notes: readonly string[] }
  | { readonly ok: false; readonly why: string };

/** What an act is about. */
export interface Acting {
  readonly text: string;
  readonly file: Json;
  readonly steps: readonly WrittenStep[];
  readonly layout: Layout;
  readonly grammar: Grammar;
}

export function refused(why: string): Acted {
  return { ok: false, why };
}

export function edited(text: string, operations: readonly Operation[], notes: readonly string[] = []): Acted {
  const result = edit(text, ...operations);
  return result.ok ? { ok: true, patches: result.patches, notes } : result;
}

/** Whether a path leads to one of these steps, or into it. */
export function isIn(path: Path, steps: readonly WrittenStep[]): boolean {
  return steps.some(({ path: own }) => own.every((key, index) => key === path[index]));
}

/** Operations after which there is a value at a path. Missing mappings above it are added. */
export function setAt(file: Json, path: Path, value: Json): Operation[] {
  if (valueAt(file, path) !== undefined) return [{ do: 'set', path, value }];
  let depth = path.length - 1;
  while (depth > 0 && valueAt(file, path.slice(0, depth)) === undefined) depth -= 1;
  const whole = path.slice(depth + 1).reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
  const above = path.slice(0, depth);
  // `key:` without a value is a mapping without keys.
  if (valueAt(file, above) === null)
    return [{ do: 'set', path: above, value: { [String(path[depth])]: whole } }];
  return [{ do: 'add', path: path.slice(0, depth + 1), value: whole }];
}
