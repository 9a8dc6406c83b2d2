import type { WorkflowLanguage } from '../shared/workflow-language.ts';
import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { isJsonObject } from '../../kernel/json.ts';
import { nativeLanguage } from '../../workflow/machine/language.ts';
import type { Workflow } from '../../workflow/model.ts';
import { checkShape, hasFewValues } from '../../yaml/issues.ts';
import { repair, pathText, underKnownKeys, type Repaired } from '../../yaml/repair.ts';
import { validParts } from '../../yaml/shape.ts';
import { spellingProblems } from '../../yaml/spelling.ts';
import type { YamlDocument } from '../../yaml/yaml.ts';
import { Diagnostics } from '../shared/diagnostics.ts';
import type { LanguageContext } from '../shared/context.ts';
import { isDaemonFile, refuseDaemonFile } from './daemon-file.ts';
import { nativeEditor } from './editor.ts';
import { habits } from './habits.ts';
import { lostNames, whatIsLost } from './lost.ts';
import { lower } from './lower.ts';
import type { Children } from '../shared/children.ts';
import { nativeFile } from './schema.ts';
import { nativeVocabulary } from './vocabulary.ts';

/** All problems of a file of the native language, and its valid parts. */
function readNative(
  document: YamlDocument,
  context: LanguageContext,
  children: Children,
  file: string,
): { readonly workflow: Workflow; readonly problems: readonly Diagnostic[] } {
  const given = isJsonObject(document.value) ? document.value : {};
  if (isDaemonFile(given)) {
    const diagnostics = new Diagnostics(document);
    refuseDaemonFile(given, diagnostics);
    return { workflow: lower({}, diagnostics, children, context), problems: diagnostics.problems };
  }
  const right = nativeFile.safeParse(given, { jitless: hasFewValues(given) });
  const repaired = right.success ? null : repair(nativeFile, given);
  const problems = repaired === null ? [] : checkShape(nativeFile, document, habits).problems;
  const read = repaired === null ? right : nativeFile.safeParse(repaired.value);
  const usable = read.data ?? validParts(nativeFile, repaired!.value);
  const diagnostics = diagnosticsOf(document, repaired);
  const beside = context.agentsBeside(file);
  const others = beside?.ok === true ? beside.value.map((each) => [each.name, each] as const) : [];
  const profiles = new Map([...context.profiles, ...others]);
  const workflow = lower(usable, diagnostics, children, { ...context, profiles });
  diagnostics.refuseUnread(usable);
  const { broken, isOrderUnknown } = whatIsLost(given, repaired?.lost ?? []);
  diagnostics.check(workflow, context, {
    broken,
    isOrderUnknown,
    brokenParameters: lostNames(given['parameters'], new Set(Object.keys(workflow.parameters))),
    language: nativeLanguage,
    vocabulary: nativeVocabulary,
  });
  return {
    workflow,
    problems: [
      ...problems,
      ...spellingProblems(document, nativeFile),
      ...(beside?.ok === false ? beside.problems : []),
      ...diagnostics.problems,
    ],
  };
}

function diagnosticsOf(document: YamlDocument, repaired: Repaired | null): Diagnostics {
  if (repaired === null) return new Diagnostics(document);
  const partial = new Set(repaired.lost.map((path) => pathText(path.slice(0, -1))));
  return new Diagnostics(underKnownKeys(document, repaired), partial);
}

/**
 * Files with a mapping of steps. A file without the signs of any language is native with an error.
 */
export const native: WorkflowLanguage = {
  name: 'native',
  signs: [(_file, version) => version === '1', ({ steps }) => isJsonObject(steps)],
  sign: '`version: "1"` and a mapping `steps`',
  isNear: (file, version) =>
    !Array.isArray(file['steps']) &&
    version !== '1.0' &&
    !['workflow', 'stages', 'kind'].some((key) => Object.hasOwn(file, key)),
  read: readNative,
  schema: nativeFile,
  schemaFile: 'workflow.schema.json',
  editor: nativeEditor,
};
