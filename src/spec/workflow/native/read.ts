import type { Diagnostic } from '../../../core/diagnostic.ts';
import { isJsonObject } from '../../../core/json.ts';
import { checkWorkflow } from '../../../core/workflow/check/check.ts';
import { nativeLanguage } from '../../../core/workflow/language.ts';
import type { Workflow } from '../../../core/workflow/model.ts';
import { checkShape } from '../../issues.ts';
import { salvage } from '../../shape.ts';
import type { YamlDocument } from '../../yaml.ts';
import { Scribe } from '../scribe.ts';
import type { Surroundings } from '../surroundings.ts';
import { readByKeys } from './by-keys.ts';
import { lower } from './lower.ts';
import type { Children } from '../children.ts';
import { nativeFile } from './schema.ts';

/** Everything that is wrong with a file of the native language, and what it says as far as it is right. */
export function readNative(
  document: YamlDocument,
  surroundings: Surroundings,
  children: Children,
): { readonly workflow: Workflow; readonly problems: readonly Diagnostic[] } {
  const given = isJsonObject(document.value) ? document.value : {};
  const right = readByKeys(given);
  const shape = right === null ? checkShape(nativeFile, document) : { value: right, problems: [] };
  const usable = shape.value ?? salvage(nativeFile, given);
  const scribe = new Scribe(document);
  const workflow = lower(usable, scribe, children, surroundings.notify);
  const found = checkWorkflow(workflow, {
    broken: lost(given['steps'], new Set(workflow.body.steps.map((step) => step.id))),
    brokenParameters: lost(given['parameters'], new Set(Object.keys(workflow.parameters))),
    protocol: surroundings.protocol,
    widened: surroundings.widened,
    unheld: surroundings.unheld,
    strict: surroundings.strict,
    language: nativeLanguage,
  });
  for (const problem of found) scribe.tell(problem);
  return { workflow, problems: [...shape.problems, ...scribe.problems] };
}

/** What is defined by something that could not be used. */
function lost(given: unknown, used: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(isJsonObject(given) ? Object.keys(given).filter((name) => !used.has(name)) : []);
}
