import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import { name } from '../../yaml/schema.ts';
import { fieldsOf } from '../../yaml/shape.ts';
import { nativeFile, type NativeFile } from './schema.ts';
import { stepSchema, type StepInput } from './step-schema.ts';

/*
 * A step has a few of more than forty keys, and the schema asks after each of them: in a definition of very many steps that
 * takes longer than everything else. Here only the keys are looked at that are there. The rule that keeps this right:
 * whatever is read here, the schema reads the same (a property test compares them); where anything is wrong the answer is
 * null, and the schema says what it is.
 */

const fileWithoutSteps = nativeFile.omit({ steps: true });

/** A file of the native language as its schema reads it; null: something is wrong with it. */
export function readByKeys(file: JsonObject): NativeFile | null {
  const { steps: given, ...others } = file;
  const steps = isJsonObject(given) ? readSteps(given) : null;
  if (steps === null) return null;
  const read = fileWithoutSteps.safeParse(others);
  return read.success ? { ...read.data, steps } : null;
}

function readSteps(given: JsonObject): Record<string, StepInput> | null {
  const steps: Record<string, StepInput> = {};
  for (const [id, value] of Object.entries(given)) {
    const step = isJsonObject(value) && name.safeParse(id).success ? readStep(value) : null;
    if (step === null) return null;
    steps[id] = step;
  }
  // None at all is wrong, too.
  return Object.keys(steps).length > 0 ? steps : null;
}

const fields = fieldsOf(stepSchema);

/** No key of a step must be there, so there is nothing to look at but those that are. */
function readStep(given: JsonObject): StepInput | null {
  const step: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const read = Object.hasOwn(fields, key) ? fields[key]!.safeParse(value) : null;
    if (read?.success !== true) return null;
    step[key] = read.data;
  }
  return step;
}
