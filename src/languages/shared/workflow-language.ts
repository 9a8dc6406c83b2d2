import type * as z from 'zod';
import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { RunFormat } from '../../workflow/machine/run-format.ts';
import type { Workflow } from '../../workflow/model.ts';
import type { Path, YamlDocument } from '../../yaml/yaml.ts';
import type { Artifact, ArtifactContext } from './artifacts.ts';
import type { ReadChild } from './children.ts';
import type { LanguageContext } from './context.ts';
import type { LanguageEditor, Starter } from './editor.ts';
import type { PromptContext } from './prompt-contexts.ts';

type Sign = (file: JsonObject, version: string | null) => boolean;

/** A value that another file gives to a definition. */
export interface OverriddenValue {
  /** In the resulting definition. */
  readonly path: Path;
  /** The path from the project, else absolute. */
  readonly file: string;
  readonly line: number;
}

/** A definition with the changes of other files. */
export interface Effective {
  readonly value: Json;
  readonly overridden: readonly OverriddenValue[];
}

/** What a language needs to find the files that change a definition. */
export type OverridesContext = Pick<LanguageContext, 'files' | 'workflows' | 'overrides'>;

/** A language for workflows. */
export interface WorkflowLanguage {
  readonly name: string;
  /** A file with all of these signs is in this language. */
  readonly signs: readonly Sign[];
  /** The signs in words. */
  readonly sign: string;
  /**
   * Whether a file with the complete signs of no language is probably in this one, with an error;
   * missing: never.
   */
  readonly isNear?: Sign;
  /** All problems of a file, and its valid parts; null: none. */
  readonly read: (
    document: YamlDocument,
    context: LanguageContext,
    readChild: ReadChild,
    file: string,
  ) => { readonly workflow: Workflow | null; readonly problems: readonly Diagnostic[] };
  /** The schema of its files. */
  readonly schema: z.core.$ZodType;
  /** The name under which the program writes the schema as JSON Schema; absent: it does not. */
  readonly schemaFile?: string;
  readonly editor: LanguageEditor;
  /** Absent: no new workflow begins in this language. */
  readonly starter?: Starter;
  /** What its files can name in a project, by kind and then by name; absent: nothing. */
  readonly artifacts?: (context: ArtifactContext) => readonly Artifact[];
  /** The definition that counts, where other files may change it; absent: the written one. */
  readonly effective?: (document: YamlDocument, context: OverridesContext) => Effective;
  /** What prompts have besides instructions and inputs, step by step; absent: nothing. */
  readonly promptContexts?: (document: YamlDocument, context: OverridesContext) => readonly PromptContext[];
  /** What it shows of a run besides the documents of all runs; absent: nothing. */
  readonly runs?: RunFormat;
}

/** The first one is that of a workflow that has no sign of any. */
export type Languages = readonly [WorkflowLanguage, ...WorkflowLanguage[]];

function read(document: YamlDocument): { readonly file: JsonObject; readonly version: string | null } {
  const file = isJsonObject(document.value) ? document.value : {};
  const { version } = file;
  return { file, version: typeof version === 'string' ? version : document.sourceOf(['version']) };
}

/**
 * The languages in which a file may be written, by their signs. `version` is compared by its source
 * text.
 */
export function languagesOf(
  document: YamlDocument,
  languages: readonly WorkflowLanguage[],
): readonly WorkflowLanguage[] {
  const { file, version } = read(document);
  const fitting = languages.filter(({ signs }) => signs.every((fits) => fits(file, version)));
  return fitting.length > 0 ? fitting : languages.filter(({ isNear }) => isNear?.(file, version) === true);
}

/**
 * The signs of languages as a list in a sentence: of those with a sign in the file, otherwise of
 * all.
 */
export function signsFor(document: YamlDocument, languages: readonly WorkflowLanguage[]): string {
  const { file, version } = read(document);
  const near = languages.filter(({ signs }) => signs.some((fits) => fits(file, version)));
  return (near.length > 0 ? near : languages).map(({ name, sign }) => `${name}: ${sign}`).join('; ');
}
