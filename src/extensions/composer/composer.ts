import type { Json } from '../../kernel/json.ts';
import { act } from './graph/act.ts';
import type { Act, DraftGraph, Forms } from './graph/documents.ts';
import type { Acted } from './graph/acting.ts';
import { draftGraph, pathFinder } from './graph/draft.ts';
import { formsOf } from './graph/forms.ts';
import { grammarOf, workflowGrammar } from '../../editing/grammar.ts';
import type { Languages } from '../../languages/shared/workflow-language.ts';
import { readDocument } from '../../languages/shared/document.ts';
import { applyPatches } from '../../yaml/edit/edit.ts';
import { diagnosticDocument } from '../../project/definition/problems.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { FoundWorkflow } from '../../project/definition/contracts.ts';
import type { Project } from '../../project/project.ts';
import type { Workflows } from '../../workflow/runs/workflows.ts';
import { stubsFor } from '../../workflow/runs/stubs.ts';
import {
  graphOf,
  locateWorkflow,
  revisionOf,
  shownParameters,
} from '../../workflow/questions/workflow-files.ts';
import type { Draft, DraftProblem } from './documents.ts';

/**
 * A text in the place of a workflow of the project as a graph with its problems, after an act.
 * `text`: unsaved; null: the stored one. `act`: null: none. Throws `E_TARGET`.
 */
export async function composeWorkflow(
  { workflows, root }: Project,
  word: string,
  wish: { readonly text: string | null; readonly act: Act | null },
): Promise<Draft> {
  const { file, path } = await locateWorkflow(workflows, root, word);
  const found = wish.text === null ? await workflows.read(file, root) : null;
  const given = wish.text ?? found?.text ?? '';
  const definitionOf = (text: string): Json => {
    const read = readDocument(text, path);
    return read.ok ? read.value.value : null;
  };
  const before = definitionOf(given);
  const languages = await workflows.languages();
  const acted = wish.act === null ? null : actOn(given, before, wish.act, languages);
  const patches = acted?.ok === true ? acted.patches : [];
  const text = applyPatches(given, patches);
  const isSame = text === given;
  const shown = isSame && found !== null ? found : await workflows.check(text, file);
  const definition = isSame ? before : definitionOf(text);
  const draft = await shownIn(workflows, shown, definition);
  return {
    schema: 1,
    refused: acted?.ok === false ? acted.why : null,
    patches,
    ...draft,
    notes: [...(acted?.ok === true ? acted.notes : []), ...draft.notes],
    stored: found && {
      text: found.text,
      revision: revisionOf(found.text),
      overridden: (await workflows.effective(found)).overridden,
    },
  };
}

function actOn(text: string, definition: Json, wish: Act, languages: Languages): Acted {
  if (definition === null) return { ok: false, why: 'the text has errors: correct them first' };
  return act(text, definition, grammarOf('workflow', definition, languages), wish);
}

/** What a canvas shows of the text. */
async function shownIn(
  workflows: Workflows,
  { checked, text, path, promptContexts }: FoundWorkflow,
  definition: Json,
): Promise<Omit<Draft, 'schema' | 'refused' | 'patches' | 'stored'>> {
  const grammar = grammarOf('workflow', definition, await workflows.languages());
  const written =
    definition !== null && grammar.graph !== null ? draftGraph(definition, text, grammar.graph) : null;
  const graph = await withEngine(workflows, checked, definition, written);
  const found = checked.ok ? checked.warnings : checked.problems;
  const pathAt = found.length === 0 ? () => [] : pathFinder(text);
  return {
    file: path,
    ok: checked.ok,
    language: grammar.name,
    editable: grammar.graph !== null,
    definition,
    parameters: shownParameters(checked.ok ? checked.value : null),
    promptContexts: promptContexts(),
    missing: stubsFor(found).map(({ reference }) => reference),
    ...graph,
    problems: found.map((each): DraftProblem => {
      const { place } = each;
      const at = place?.file === path ? pathAt(place.line, place.column) : [];
      return { ...diagnosticDocument(each), path: at, step: stepAt(graph, at) };
    }),
  };
}

/** The graph as written, with what only the engine knows of it. */
async function withEngine(
  workflows: Workflows,
  checked: FoundWorkflow['checked'],
  definition: Json,
  drawn: DraftGraph | null,
): Promise<DraftGraph> {
  const graph = drawn ?? { steps: [], edges: [], notes: [] };
  if (!checked.ok) return graph;
  const { nodes, edges } = await graphOf(workflows, checked.value, definition);
  const written = new Set(graph.edges.map(({ from, to }) => JSON.stringify([from, to])));
  const implied = edges
    .filter(({ from, to }) => !written.has(JSON.stringify([from, to])))
    .map(({ from, to }) => ({ from, to, when: null, implied: true }));
  if (drawn !== null) return { ...drawn, edges: [...drawn.edges, ...implied] };
  const steps = nodes
    .filter(({ id }) => !id.includes('/'))
    .map(({ id, type }) => ({
      id,
      name: null,
      kind: type.toLowerCase(),
      path: null,
      lines: null,
      badges: [],
      condition: null,
      position: null,
      color: null,
      icon: null,
    }));
  return { steps, edges: implied, notes: [] };
}

function stepAt({ steps }: DraftGraph, at: Path): string | null {
  const found = steps.find(({ path }) => path !== null && path.every((key, index) => key === at[index]));
  return found?.id ?? null;
}

/** The forms of a language by its name; null: it has none. */
export function formsFor(language: string, languages: Languages): Forms | null {
  const grammar = workflowGrammar(language, languages);
  return grammar?.graph == null ? null : formsOf(grammar, grammar.graph);
}
