import type { Diagnostic } from '../kernel/diagnostic.ts';
import type { Languages } from '../languages/shared/workflow-language.ts';
import { overridesFile } from '../languages/swdl/overrides-schema.ts';
import { EditableText } from '../yaml/edit/tree.ts';
import { checkShape } from '../yaml/issues.ts';
import { parseYaml } from '../yaml/yaml.ts';
import { grammarOf, type Grammar } from './grammar.ts';
import type { FileKind } from './kind.ts';

/** The grammar of a source text, broken or not; null: it has none, as a message has. */
export function grammarFor(kind: FileKind | null, text: string, languages: Languages): Grammar | null {
  if (kind === null || kind === 'message') return null;
  return grammarOf(kind, new EditableText(text.replace(/^\ufeff/, '')).keys(), languages);
}

/** All problems of a file of overrides, alone. */
export function checkOverrides(text: string, file: string): readonly Diagnostic[] {
  const read = parseYaml(text, file);
  return read.ok ? checkShape(overridesFile(), read.value).problems : read.problems;
}
