import { basename, join, resolve } from 'node:path';
import { MailroomError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Identity } from '../../languages/shared/identity.ts';
import { listWorkflowFiles } from './project-files.ts';
import type { Disk } from '../../disk/disk.ts';
import { readContent } from '../../disk/contents.ts';
import { workflowFile } from './workflow-file.ts';

/**
 * The file of a workflow that a person names: a path from `cwd`, or a workflow of the project by
 * its id, its path below workflows/ without the extension, or its name. A word that does not look
 * like a path is a name first: a folder `notes` does not hide the workflow `notes`. Absolute.
 * Throws `E_TARGET` when none or several match.
 */
export async function findWorkflow(disk: Disk, reference: string, cwd: string): Promise<string> {
  const named = workflowFile(resolve(cwd, reference));
  const isPath = /[/\\]|\.(ya?ml|json)$/.test(reference);
  if (isPath && named !== null) return named;
  const known = await identities(disk);
  const found = meant(known, reference);
  const [only, ...more] = found;
  if (only === undefined) {
    if (named !== null) return named;
    const words = known.map(({ file, id }) => id ?? stemOf(file));
    throw new MailroomError(
      'E_TARGET',
      `there is no workflow \`${reference}\``,
      didYouMean(reference, words) ?? hint(words),
    );
  }
  if (more.length > 0)
    throw new MailroomError('E_TARGET', `\`${reference}\` may be ${found.join(', ')}`, 'give the file');
  return join(disk.root, only);
}

function hint(words: readonly string[]): string {
  return words.length === 0
    ? 'give a file, or put one into workflows/'
    : `workflows/ has ${words.join(', ')}`;
}

/** Whether a word may name a workflow of the project. */
export async function isWorkflowNamed(disk: Disk, word: string): Promise<boolean> {
  return meant(await identities(disk), word).length > 0;
}

/** The names of the project's workflows for people. */
export async function workflowNames(disk: Disk): Promise<string[]> {
  const known = await identities(disk);
  return [...new Set(known.flatMap(({ file, id, names }) => [id ?? stemOf(file), ...names]))];
}

/**
 * Files that a word may mean. An id is unique and wins. Otherwise a file name and a `name` count
 * alike: if they mean different files, the word is ambiguous.
 */
function meant(known: readonly Identity[], word: string): string[] {
  const byId = known.filter(({ id }) => id === word);
  if (byId.length > 0) return filesOf(byId);
  const byStem = known.filter(({ file }) => stemOf(file) === word || basename(stemOf(file)) === word);
  const byName = known.filter(({ names }) => names.includes(word));
  const both = byStem.filter((each) => byName.includes(each));
  return filesOf(both.length > 0 ? both : [...byStem, ...byName]);
}

function filesOf(identified: readonly Identity[]): string[] {
  return identified.map(({ file }) => file);
}

/**
 * A workflow's path below workflows/: `workflows/parts/test.yaml` is `parts/test`, and
 * `workflows/ship/WORKFLOW.yaml` is `ship`.
 */
export function stemOf(file: string): string {
  return file
    .replace(/^workflows\//, '')
    .replace(/\.(ya?ml|json)$/, '')
    .replace(/(?<=.)\/WORKFLOW$/, '');
}

/** The ids and names of the project's workflows. Loads the slow YAML reader only now. */
export async function identities(disk: Disk): Promise<Identity[]> {
  return identitiesBy(disk, await import('../../languages/shared/identity.ts'));
}

/** The reader of identities, which loads the YAML reader. */
interface IdentityReader {
  readonly identityOf: (text: string, file: string) => Identity;
  readonly unknownIdentity: (file: string) => Identity;
}

const cache = new Map<string, { readonly text: string; readonly identity: Identity }>();

/** The same with a loaded reader. An unchanged text is not read twice. */
export function identitiesBy(disk: Disk, { identityOf, unknownIdentity }: IdentityReader): Identity[] {
  return listWorkflowFiles(disk).map((file) => {
    const path = join(disk.root, file);
    const found = readContent(disk, disk.resolve(file) ?? file);
    if (found === 'gone' || !found.ok) return unknownIdentity(file);
    const known = cache.get(path);
    if (known?.text === found.text) return known.identity;
    const identity = identityOf(found.text, file);
    cache.set(path, { text: found.text, identity });
    return identity;
  });
}
