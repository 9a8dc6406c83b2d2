import process from 'node:process';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { FoundWorkflow } from '../cli/run-services.ts';
import type { Checked } from '../core/diagnostic.ts';
import { MailroomError } from '../core/errors.ts';
import { didYouMean } from '../core/nearest.ts';
import { refusesWidening } from '../core/widening.ts';
import type { Workflow } from '../core/workflow/model.ts';
import type { Loaded, ProjectFiles, Surroundings } from '../spec/workflow/surroundings.ts';
import { findProgram } from '../process/proc.ts';
import { readContent } from '../store/contents.ts';
import { listWorkflowFiles } from '../store/project.ts';
import type { RealDisk } from '../store/real-disk.ts';
import { findText, readText } from '../store/text.ts';
import type { Settings } from './definition.ts';
import { workflowFile } from './workflow-file.ts';

/** Reads a definition, with the files that it names. `file` is absolute; `starting`: the run that begins now. */
export async function readWorkflow(
  disk: RealDisk,
  settings: Settings,
  file: string,
  starting: Surroundings['starting'] = null,
): Promise<FoundWorkflow> {
  const found = findText(file);
  if (found === null) throw new MailroomError('E_TARGET', `there is no workflow ${file}`);
  if (found.ok) return checkWorkflow(disk, settings, found.text, file, starting);
  // One file that is no text does not keep the others from being looked at.
  const problem = {
    code: 'E_FILE',
    severity: 'error',
    message: found.problem,
    place: null,
    hint: null,
  } as const;
  return { file, path: shownPath(disk.root, file), text: '', checked: { ok: false, problems: [problem] } };
}

/** The same of a text that is at hand. */
export async function checkWorkflow(
  disk: RealDisk,
  settings: Settings,
  text: string,
  file: string,
  starting: Surroundings['starting'] = null,
): Promise<FoundWorkflow> {
  const { parseWorkflow } = await import('../spec/workflow/index.ts');
  const { protocol, widened, providers, config } = settings;
  const shown = (path: string) => shownPath(disk.root, path);
  const checked: Checked<Workflow> = parseWorkflow(text, shown(file), {
    protocol,
    widened,
    unheld: new Map([...providers.values()].map(({ name, unheld }) => [name, unheld])),
    strict: refusesWidening(config),
    hasProgram: (name) => findProgram(name, process.env['PATH'], disk.root) === 'found',
    nip: config.nip,
    agents: config.defaults,
    players: config.defaults,
    notify: config.notify,
    files: projectFiles(disk, await trackedFiles(disk.root, text)),
    starting,
    load: (name, from) => load(resolve(disk.root, from), name, shown),
  });
  const { verified } = await import('./nip/executions.ts');
  return { file, path: shown(file), text, checked: await verified(text, checked, shown(file)) };
}

/** Files that a workflow means by name; a link out of the project leads nowhere. */
function projectFiles(disk: RealDisk, tracked: readonly string[]): ProjectFiles {
  return {
    read: (path) => {
      const real = disk.resolve(path);
      const content = real === null ? 'gone' : readContent(disk, real);
      return content !== 'gone' && content.ok ? content.text : null;
    },
    list: (folder) => (disk.look(folder)?.kind === 'folder' ? (disk.list(folder) ?? []).toSorted() : []),
    tracked,
  };
}

/** The files that git tracks, for a workflow that wants to know: asking takes a process. */
async function trackedFiles(root: string, text: string): Promise<readonly string[]> {
  if (!text.includes('repo_structure')) return [];
  const { git } = await import('../process/git.ts');
  const listed = await git(['ls-files', '-z'], { cwd: root });
  return listed.exitCode === 0 ? listed.stdout.split('\0').filter((path) => path !== '') : [];
}

/** A path as people know it: from the project where it lies in it. */
function shownPath(root: string, path: string): string {
  const from = relative(root, path);
  return from.startsWith('..') || isAbsolute(from) ? path : from;
}

/** The file of a sub-workflow, relative to the one that names it. */
function load(from: string, name: string, shown: (path: string) => string): Loaded {
  const file = resolve(dirname(from), name);
  try {
    const text = readText(file);
    if (text === null) return { ok: false, code: 'E_WORKFLOW', problem: `there is no file ${shown(file)}` };
    return { ok: true, file: shown(file), text };
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error;
    return { ok: false, code: 'E_WORKFLOW', problem: error.message };
  }
}

/**
 * The file of a workflow that a person names: a path from `cwd`, or a workflow of the project by its path below workflows/
 * without its ending, or by its `name`. A word that looks like no path is a name first: a folder `notes` does not hide the
 * workflow `notes`. Absolute. Throws `E_TARGET` when it is none or may be several.
 */
export function findWorkflow(disk: RealDisk, reference: string, cwd: string): string {
  const named = workflowFile(resolve(cwd, reference));
  const isPath = /[/\\]|\.(ya?ml|json)$/.test(reference);
  if (isPath && named !== null) return named;
  const found = workflowsNamed(disk, reference);
  const [only, ...more] = found;
  if (only === undefined) {
    if (named !== null) return named;
    const ids = listWorkflowFiles(disk).map(idOf);
    const help = didYouMean(reference, ids) ?? hint(ids);
    throw new MailroomError('E_TARGET', `there is no workflow \`${reference}\``, help);
  }
  if (more.length > 0)
    throw new MailroomError('E_TARGET', `\`${reference}\` may be ${found.join(', ')}`, 'give the file');
  return join(disk.root, only);
}

function hint(ids: readonly string[]): string {
  return ids.length === 0 ? 'give a file, or put one into workflows/' : `workflows/ has ${ids.join(', ')}`;
}

/** Files of the project that a word may mean: by id, else by name. */
export function workflowsNamed(disk: RealDisk, word: string): string[] {
  const files = listWorkflowFiles(disk);
  const byId = files.filter((file) => idOf(file) === word || basename(idOf(file)) === word);
  return byId.length > 0 ? byId : files.filter((file) => namesIn(disk, file).includes(word));
}

/** What a person may call the workflows of the project. */
export function workflowNames(disk: RealDisk): string[] {
  const names = listWorkflowFiles(disk).flatMap((file) => [idOf(file), ...namesIn(disk, file)]);
  return [...new Set(names)];
}

/** `workflows/parts/test.yaml` is `parts/test`, and `workflows/ship/WORKFLOW.yaml` is `ship`. */
function idOf(file: string): string {
  return file
    .replace(/^workflows\//, '')
    .replace(/\.(ya?ml|json)$/, '')
    .replace(/(?<=.)\/WORKFLOW$/, '');
}

/** The names that a file gives itself, without reading the rest of it. */
function namesIn(disk: RealDisk, file: string): string[] {
  const found = findText(join(disk.root, file));
  const text = found?.ok === true ? found.text : '';
  const head = /^(?:"workflow"|workflow):(?: *#.*)?\n((?:[ \t]+.*\n|\n)*)/m.exec(text)?.[1] ?? '';
  return [...valuesOf(text, /^(?:name|"name")/), ...valuesOf(head, /^[ \t]+(?:id|name)/)];
}

/** What stands behind a key on a line. */
function valuesOf(text: string, key: RegExp): string[] {
  const line = new RegExp(`${key.source}: *(?:"([^"]*)"|'([^']*)'|([^#\\n]*?)) *(?:#.*)?$`, 'gm');
  return [...text.matchAll(line)]
    .map(([, ...values]) => values.find(Boolean))
    .filter((each) => each !== undefined);
}
