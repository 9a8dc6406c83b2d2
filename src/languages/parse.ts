import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import type { Checked, Diagnostic } from '../kernel/diagnostic.ts';
import { bodyOf } from '../workflow/bodies.ts';
import type { Body, Workflow } from '../workflow/model.ts';
import { inOrder } from '../yaml/diagnostics.ts';
import type { Path, YamlDocument } from '../yaml/yaml.ts';
import { readDocument } from './shared/document.ts';
import { languages } from './languages.ts';
import type { ReadChild } from './shared/children.ts';
import type { Diagnostics } from './shared/diagnostics.ts';
import type { LanguageContext } from './shared/context.ts';
import type { PromptContext } from './shared/prompt-contexts.ts';
import { signsFor, languagesOf, type WorkflowLanguage } from './shared/workflow-language.ts';

/** The limits of nested sub-workflows and of all steps in them. */
const deepest = 20;
const most = 100_000;

/**
 * A workflow of any language, including its sub-workflows, ready to run. Reports all problems of
 * all files at once, in the order of the text, file by file; if there are only warnings, they come
 * with the value.
 */
export function parseWorkflow(
  text: string,
  file: string,
  context: LanguageContext,
  known: readonly WorkflowLanguage[] = languages,
): Checked<Workflow> {
  const reader = new Reader(context, known);
  const workflow = reader.read(text, file, []);
  const problems = inOrder([...new Set(reader.problems)], reader.files);
  if (workflow === null || problems.some((problem) => problem.severity === 'error'))
    return { ok: false, problems };
  return { ok: true, value: workflow, warnings: problems };
}

/**
 * What the prompts of a workflow have besides instructions and inputs; empty: its language has
 * no such context, or its text cannot be read.
 */
export function promptContextsOf(
  text: string,
  file: string,
  context: LanguageContext,
  known: readonly WorkflowLanguage[] = languages,
): readonly PromptContext[] {
  const document = readDocument(text, file);
  const [language] = document.ok ? languagesOf(document.value, known) : [];
  return (document.ok && language?.promptContexts?.(document.value, context)) || [];
}

/** The program that a file is certainly for, by keys that no language here has; null: none. */
function programOf({ jobs, steps, version }: JsonObject): string | null {
  if (isJsonObject(jobs) && steps === undefined) return 'GitHub Actions';
  const isStep = (step: Json) =>
    isJsonObject(step) && typeof step['name'] === 'string' && ('command' in step || 'script' in step);
  const isList = Array.isArray(steps) && steps.length > 0 && steps.every(isStep);
  // In orchestrate, which also has a list, 1.0 is a number in YAML.
  return isList && (version === undefined || version === '1') ? 'Dagu' : null;
}

/** Reads a file and the files that it names, each once. */
class Reader {
  readonly problems: Diagnostic[] = [];
  readonly files: string[] = [];
  readonly #context: LanguageContext;
  readonly #languages: readonly WorkflowLanguage[];
  readonly #done = new Map<string, Workflow | null>();
  /** The number of steps of each sub-workflow, including nested ones. */
  readonly #sizes = new Map<Workflow, number>();

  constructor(context: LanguageContext, all: readonly WorkflowLanguage[]) {
    this.#context = context;
    this.#languages = all;
  }

  /** Null: the file has no usable part. */
  read(text: string, file: string, above: readonly string[]): Workflow | null {
    this.files.push(file);
    const document = readDocument(text, file);
    if (!document.ok) {
      this.problems.push(...document.problems);
      return null;
    }
    const language = this.#isForeign(document.value) ? null : this.#languageOf(document.value);
    if (language === null) return null;
    const way = [...above, file];
    const readChild: ReadChild = (diagnostics, path, name) => this.#child(diagnostics, path, name, way);
    const { workflow, problems } = language.read(document.value, this.#context, readChild, file);
    this.problems.push(...problems);
    return workflow;
  }

  /** Whether it is a whole file of another program, which is reported. */
  #isForeign(document: YamlDocument): boolean {
    const { value } = document;
    if (!isJsonObject(value)) return false;
    const program = programOf(value);
    if (program === null) return false;
    this.problems.push({
      code: 'E_WORKFLOW',
      severity: 'error',
      message: `this is a file of ${program}`,
      place: document.place([program === 'Dagu' ? 'steps' : 'jobs'], 'key'),
      hint: '`mailroom help from` shows how the same is written here',
    });
    return true;
  }

  /** The file's language; null, and reported, if it has none or several are possible. */
  #languageOf(document: YamlDocument): WorkflowLanguage | null {
    const [language, other] = languagesOf(document, this.#languages);
    if (language !== undefined && other === undefined) return language;
    const place = document.place(['version'], 'value');
    const message =
      language === undefined || other === undefined
        ? 'not a known workflow format'
        : `this may be ${language.name} or ${other.name}`;
    this.problems.push({
      code: 'E_WORKFLOW',
      severity: 'error',
      message,
      place,
      hint: signsFor(document, this.#languages),
    });
    return null;
  }

  #child(diagnostics: Diagnostics, path: Path, name: string, way: readonly string[]): Workflow | null {
    const loaded = this.#context.load(name, way.at(-1)!);
    if (!loaded.ok) {
      diagnostics.error(loaded.code, path, `cannot read \`${name}\`: ${loaded.problem}`, null);
      return null;
    }
    const { file, text } = loaded;
    const circle = way.indexOf(file);
    if (circle !== -1) {
      const chain = [...way.slice(circle), file].join(' → ');
      diagnostics.error('E_WORKFLOW', path, `a workflow cannot be part of itself: ${chain}`, null);
      return null;
    }
    if (way.length >= deepest) {
      diagnostics.error('E_WORKFLOW', path, `workflows lie at most ${deepest} deep within each other`, null);
      return null;
    }
    const known = this.#done.get(file);
    const workflow = known === undefined ? this.read(text, file, way) : known;
    this.#done.set(file, workflow);
    if (workflow !== null) this.#count(diagnostics, path, workflow);
    return workflow;
  }

  /**
   * The steps of a file that is used twice count twice, at every level: a small file can become
   * very large.
   */
  #count(diagnostics: Diagnostics, path: Path, workflow: Workflow): void {
    if (this.#sizeOf(workflow) > most)
      diagnostics.error('E_WORKFLOW', path, `with its sub-workflows it has more than ${most} steps`, null);
  }

  #sizeOf(workflow: Workflow): number {
    const known = this.#sizes.get(workflow);
    if (known !== undefined) return known;
    const size = this.#sizeOfBody(workflow.body);
    this.#sizes.set(workflow, size);
    return size;
  }

  #sizeOfBody({ steps }: Body): number {
    return steps.reduce((sum, { work }) => {
      if (work.kind === 'workflow') return sum + 1 + this.#sizeOf(work.workflow);
      const loop = bodyOf(work);
      return sum + 1 + (loop === null ? 0 : this.#sizeOfBody(loop));
    }, 0);
  }
}
