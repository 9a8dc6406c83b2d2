import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json.ts';
import type { Layout } from '../../../languages/shared/editor.ts';
import type { Path } from '../../../yaml/yaml.ts';

/** A step as its author wrote it. */
export interface WrittenStep {
  readonly id: string;
  /** Of the step in the file. */
  readonly path: Path;
  readonly value: JsonObject;
}

/** The steps of a file's own body, in its order; those that have no name are left out. */
export function writtenSteps(file: Json, { steps: key, id }: Layout): WrittenStep[] {
  const steps = isJsonObject(file) ? file[key] : undefined;
  if (id === null)
    return Object.entries(isJsonObject(steps) ? steps : {}).flatMap(([name, value]) =>
      isJsonObject(value) ? { id: name, path: [key, name], value } : [],
    );
  return (Array.isArray(steps) ? steps : []).flatMap((value: Json, index): WrittenStep[] => {
    const name = isJsonObject(value) ? value[id] : undefined;
    return isJsonObject(value) && typeof name === 'string' ? [{ id: name, path: [key, index], value }] : [];
  });
}

/** What a step waits for, entry by entry as in `depends_on`; `when`: the condition of the entry. */
export function needsOf({
  depends_on: needs,
}: JsonObject): { readonly step: string; readonly when: string | null }[] {
  return (Array.isArray(needs) ? needs : []).map((entry: Json) => {
    const { step = '', when = null } = isJsonObject(entry) ? entry : { step: entry };
    return { step: typeof step === 'string' ? step : '', when: typeof when === 'string' ? when : null };
  });
}
