import type { Diagnostic } from '../../../core/diagnostic.ts';
import { isJsonObject } from '../../../core/json.ts';
import { checkWorkflow } from '../../../core/workflow/check/check.ts';
import { nativeLanguage } from '../../../core/workflow/language.ts';
import type { Workflow } from '../../../core/workflow/model.ts';
import { checkShape } from '../../issues.ts';
import { mend, pathText, underKnownKeys, type Mended } from '../../mend.ts';
import { salvage } from '../../shape.ts';
import type { YamlDocument } from '../../yaml.ts';
import { Scribe } from '../scribe.ts';
import type { Surroundings } from '../surroundings.ts';
import { readByKeys } from './by-keys.ts';
import { lostNames, whatIsLost } from './lost.ts';
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
  const mended = right === null ? mend(nativeFile, given) : null;
  const problems = mended === null ? [] : checkShape(nativeFile, document).problems;
  const usable = right ?? readByKeys(mended!.value) ?? salvage(nativeFile, mended!.value);
  const scribe = scribeOf(document, mended);
  const workflow = lower(usable, scribe, children, surroundings.notify);
  scribe.refuseUnread(usable);
  const { broken, isOrderUnknown } = whatIsLost(given, mended?.lost ?? []);
  const found = checkWorkflow(workflow, {
    broken: new Set([...broken, ...scribe.unclear]),
    isOrderUnknown,
    brokenParameters: lostNames(given['parameters'], new Set(Object.keys(workflow.parameters))),
    protocol: surroundings.protocol,
    widened: surroundings.widened,
    unheld: surroundings.unheld,
    withoutMcp: surroundings.withoutMcp,
    strict: surroundings.strict,
    language: nativeLanguage,
  });
  for (const problem of found) scribe.tell(problem);
  return { workflow, problems: [...problems, ...scribe.problems] };
}

function scribeOf(document: YamlDocument, mended: Mended | null): Scribe {
  if (mended === null) return new Scribe(document);
  const partial = new Set(mended.lost.map((path) => pathText(path.slice(0, -1))));
  return new Scribe(underKnownKeys(document, mended), partial);
}
