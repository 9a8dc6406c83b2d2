import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { Workflow } from '../../workflow/model.ts';
import type { YamlDocument } from '../../yaml/yaml.ts';
import type { Children } from './children.ts';
import type { LanguageContext } from './context.ts';

type Sign = (file: JsonObject, version: string | null) => boolean;

/** A language that workflows are written in. */
export interface WorkflowLanguage {
  readonly name: string;
  /** A file that has all of these signs is of the language. */
  readonly signs: readonly Sign[];
  /** The same in words. */
  readonly sign: string;
  /** Whether a file that has all signs of no language is probably of this one, with a mistake; missing: never. */
  readonly isNear?: Sign;
  /** Everything that is wrong with a file, and what it says as far as it is right; null: nothing. */
  readonly read: (
    document: YamlDocument,
    surroundings: LanguageContext,
    children: Children,
  ) => { readonly workflow: Workflow | null; readonly problems: readonly Diagnostic[] };
}

function read(document: YamlDocument): { readonly file: JsonObject; readonly version: string | null } {
  const file = isJsonObject(document.value) ? document.value : {};
  const { version } = file;
  return { file, version: typeof version === 'string' ? version : document.sourceOf(['version']) };
}

/** Those of some languages that a file may be written in, by their signs. `version` is compared by its source text. */
export function tellLanguages(
  document: YamlDocument,
  languages: readonly WorkflowLanguage[],
): readonly WorkflowLanguage[] {
  const { file, version } = read(document);
  const fitting = languages.filter(({ signs }) => signs.every((fits) => fits(file, version)));
  return fitting.length > 0 ? fitting : languages.filter(({ isNear }) => isNear?.(file, version) === true);
}

/** What languages are told by, as a sentence lists it: those of which the file has a sign, else all. */
export function signsFor(document: YamlDocument, languages: readonly WorkflowLanguage[]): string {
  const { file, version } = read(document);
  const near = languages.filter(({ signs }) => signs.some((fits) => fits(file, version)));
  return (near.length > 0 ? near : languages).map(({ name, sign }) => `${name}: ${sign}`).join('; ');
}
