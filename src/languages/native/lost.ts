import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { CheckContext } from '../../workflow/check/check.ts';
import type { Path } from '../../yaml/yaml.ts';
import { fieldsOf } from '../../yaml/shape.ts';
import { stepSchema } from './step-schema.ts';

/**
 * The parts of a file's steps that could not be used, and the conclusions that are impossible
 * without them. `lost`: paths into the file.
 */
export function whatIsLost(
  given: JsonObject,
  lost: readonly Path[],
): Pick<CheckContext, 'broken' | 'isOrderUnknown'> {
  const broken = new Set<string>();
  let isOrderUnknown = false;
  for (const path of lost) {
    if (path.length === 1 && path[0] === 'steps')
      for (const id of lostNames(given['steps'], new Set())) broken.add(id);
    const place = innermostStep(path);
    if (place === null) continue;
    if (mayBeOutput(place.within)) broken.add(place.id);
    isOrderUnknown ||= mayBeDependency(place.within);
  }
  return { broken, isOrderUnknown };
}

/** The names defined by parts that could not be used. */
export function lostNames(given: Json | undefined, used: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(isJsonObject(given) ? Object.keys(given).filter((name) => !used.has(name)) : []);
}

/** Ids are at every third position of a path: `steps.<id>.for_each.steps.<id>`. */
function innermostStep(path: Path): { readonly id: string; readonly within: Path } | null {
  let at = -2;
  while (path[at + 3] !== undefined && path[at + 2] === 'steps') at += 3;
  return at < 0 ? null : { id: String(path[at]), within: path.slice(at + 1) };
}

const known = fieldsOf(stepSchema);

/**
 * Whether the lost part of a step may have been one of these keys; `within` is empty if the whole
 * step is lost.
 */
function mayBe(within: Path, keys: readonly string[]): boolean {
  const [key] = within;
  if (key === undefined) return true;
  return within.length === 1 && (keys.includes(String(key)) || !Object.hasOwn(known, key));
}

function mayBeOutput(within: Path): boolean {
  const isValue = within.length === 2 && within[0] === 'values';
  return isValue || mayBe(within, ['values', 'outputs', 'exports', 'depends_on']);
}

function mayBeDependency(within: Path): boolean {
  return mayBe(within, ['depends_on']);
}
