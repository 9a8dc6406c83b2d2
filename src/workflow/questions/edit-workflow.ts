import { MailroomError } from '../../kernel/errors.ts';
import { grammarFor } from '../../editing/texts.ts';
import { occurrencesIn } from '../../editing/occurrences.ts';
import { renameAt } from '../../editing/rename.ts';
import { languages } from '../../languages/languages.ts';
import type { Languages } from '../../languages/shared/workflow-language.ts';
import { identityOf } from '../../languages/shared/identity.ts';
import type { DiagnosticDocument } from '../../documents/common.ts';
import { applyPatches, edit, invertPatches, type Patch } from '../../yaml/edit/edit.ts';
import { withLineEnds } from '../../yaml/edit/line-ends.ts';
import { composePatches } from '../../yaml/edit/patches.ts';
import { ProblemsError } from '../../project/definition/problems.ts';
import type { FoundWorkflow } from '../../project/definition/contracts.ts';
import type { Project } from '../../project/project.ts';
import type { Workflows } from '../runs/workflows.ts';
import { validate } from '../../project/definition/validate.ts';
import { findWorkflow, readWorkflowFile, revisionOf } from './workflow-files.ts';
import type { DraftDocument, WorkflowOperation, SavedWorkflow } from '../../documents/workflows.ts';

/** The new text of a definition: as a whole, or by changes of the stored one. */
export type Edit = { readonly text: string } | { readonly operations: readonly WorkflowOperation[] };

interface Save {
  /** Of the text that the person has seen. */
  readonly revision: string;
  readonly change: Edit;
  /** Hides secrets in what the person sees. */
  readonly mask: (text: string) => string;
}

/** `changed`: the file has another text than that of the given revision; nothing is written. */
type Saving =
  | { readonly is: 'saved'; readonly document: SavedWorkflow }
  | { readonly is: 'changed'; readonly revision: string; readonly text: string };

/**
 * Changes the file of a workflow, if it still has the revision that the person has seen. Line ends,
 * byte order mark and permissions of the file stay. Throws `E_TARGET`, `E_VALUE` for an operation
 * that does not fit, `E_REFUSED` where a whole text would replace secrets that `mask` hides, and
 * all errors of the new text; then nothing is written.
 */
export async function saveWorkflow(
  { workflows, root }: Project,
  word: string,
  { revision, change, mask }: Save,
): Promise<Saving> {
  const found = await findWorkflow(workflows, root, word);
  const changed = (text: string): Saving => ({ is: 'changed', revision: revisionOf(text), text });
  if (revisionOf(found.text) !== revision) return changed(found.text);
  if ('text' in change && mask(found.text) !== found.text)
    throw new MailroomError(
      'E_REFUSED',
      `${found.path} has a secret, which is masked in the text that you have read`,
      'change it by operations, or with an editor',
    );
  const text =
    'text' in change
      ? withLineEnds(change.text, found.text)
      : changedBy(found.text, change.operations, await workflows.languages()).text;
  const warnings = await expectValid(workflows, text, found.file);
  if (text !== found.text && !workflows.write(found.path, found.text, text))
    return changed((await workflows.read(found.file, root)).text);
  return { is: 'saved', document: stored(found.path, text, warnings) };
}

/** Throws the errors of an unsaved definition; returns its warnings. */
async function expectValid(
  workflows: Workflows,
  text: string,
  file: string,
): Promise<readonly DiagnosticDocument[]> {
  const { checked, path } = await workflows.check(text, file);
  if (!checked.ok) throw new ProblemsError(checked.problems);
  return validate([{ path, checked, text }]).document.warnings;
}

function stored(file: string, text: string, warnings: readonly DiagnosticDocument[]): SavedWorkflow {
  return { schema: 1, file, revision: revisionOf(text), text, warnings };
}

/**
 * A workflow with another text, changed by operations. Writes nothing. Throws as `saveWorkflow`.
 */
export async function draftWorkflow(
  { workflows, root }: Project,
  word: string,
  text: string | null,
  operations: readonly WorkflowOperation[],
): Promise<DraftDocument> {
  const found = await findWorkflow(workflows, root, word);
  const given = text ?? found.text;
  const { text: result, patches } = changedBy(given, operations, await workflows.languages());
  const read: FoundWorkflow = result === found.text ? found : await workflows.check(result, found.file);
  return {
    ...(await readWorkflowFile(workflows, read)),
    patches,
    undo: invertPatches(given, patches),
  };
}

/** Throws `E_VALUE` with the number of an operation that does not fit. */
function changedBy(
  text: string,
  operations: readonly WorkflowOperation[],
  all: Languages,
): { readonly text: string; readonly patches: readonly Patch[] } {
  let here = text;
  let patches: readonly Patch[] = [];
  for (const [index, operation] of operations.entries()) {
    const made = operation.do === 'rename-step' ? renamed(here, operation, all) : edit(here, operation);
    if (!made.ok) throw new MailroomError('E_VALUE', `operation ${String(index + 1)}: ${made.why}`);
    patches = composePatches(text, patches, made.patches);
    here = applyPatches(here, made.patches);
  }
  return { text: here, patches };
}

function renamed(
  text: string,
  { step, name }: { readonly step: string; readonly name: string },
  all: Languages,
) {
  const grammar = grammarFor('workflow', text, all);
  const found =
    grammar &&
    occurrencesIn(text, grammar).find(
      ({ kind, defines, name: known }) => kind === 'step' && defines && known === step,
    );
  if (grammar === null || found == null) return { ok: false as const, why: `there is no step \`${step}\`` };
  return renameAt(text, found.from, name, grammar);
}

/** A definition that does not exist yet: its text, or the names of one with a first stage. */
export interface NewWorkflow {
  readonly text: string;
  /** Relative to the project; null: by its id or name. */
  readonly file: string | null;
}

/**
 * Creates the file of a workflow. Throws `E_REFUSED` where its id or its file exists already,
 * `E_VALUE` where neither a file nor a name is given, and all errors of the text; then nothing is
 * written.
 */
export async function createWorkflow(
  { workflows, root }: Project,
  { text, file: wanted }: NewWorkflow,
): Promise<SavedWorkflow> {
  const { id, names } = identityOf(text, 'workflow');
  const file = wanted ?? fileFor(id ?? names[0] ?? null, text);
  const identities = await workflows.identities();
  const same = identities.find((each) => id !== null && each.id === id);
  if (same !== undefined)
    throw new MailroomError(
      'E_REFUSED',
      `\`${String(id)}\` is the id of ${same.file} already`,
      'give it another id',
    );
  if (identities.some((each) => each.file === file)) throw fileExists(file);
  const warnings = await expectValid(workflows, text, `${root}/${file}`);
  if (!workflows.write(file, null, text)) throw fileExists(file);
  return stored(file, text, warnings);
}

function fileExists(file: string): MailroomError {
  return new MailroomError('E_REFUSED', `${file} exists already`, 'choose another file or id');
}

function fileFor(name: string | null, text: string): string {
  const stem = (name ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  if (stem === '' || stem === 'agents' || stem === 'overrides')
    throw new MailroomError('E_VALUE', 'the file of this workflow cannot be named after it', 'give `file`');
  return `workflows/${stem}.${/^\ufeff?\s*\{/.test(text) ? 'json' : 'yaml'}`;
}

/** A workflow with one step, which asks whether to continue. */
export function firstWorkflow(about: Readonly<Record<'id' | 'name' | 'version', string>>): string {
  const starter = languages.flatMap((language) => language.starter ?? [])[0];
  if (starter === undefined) throw new MailroomError('E_INTERNAL', 'no language has a starter');
  const { id, name, version } = starter.places;
  const made = edit(
    starter.text,
    { do: 'set', path: id, value: about.id },
    { do: 'set', path: name, value: about.name },
    { do: 'set', path: version, value: about.version },
  );
  if (!made.ok) throw new MailroomError('E_VALUE', made.why);
  return made.text;
}
