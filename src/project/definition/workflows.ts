import picomatch from 'picomatch';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { FoundWorkflow } from './contracts.ts';
import type { Checked } from '../../kernel/diagnostic.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Config } from '../../config/config.ts';
import type { parseAgents } from '../../config/read.ts';
import { isStrict } from '../../config/strict.ts';
import type { Workflow } from '../../workflow/model.ts';
import type { Loaded, ProjectFiles, LanguageContext } from '../../languages/shared/context.ts';
import { findProgram } from '../../process/proc.ts';
import { readContent } from '../../disk/contents.ts';
import type { Disk } from '../../disk/disk.ts';
import { findText, readText } from '../../disk/text.ts';
import { fingerprintOf } from './confirmed.ts';
import { checkedOut, withoutMcpOf, type Settings } from './definition.ts';
import { deputiesOf } from './deputies.ts';
import { identitiesBy } from './find-workflow.ts';
import { withWeakSecrets } from '../../workflow/host/secrets.ts';
import { languagesWith, runEventsOf, type WorkflowReader } from './hooks.ts';
import { ProblemsError } from './problems.ts';

/** Reads a definition, with the files that it names. `file` is absolute. */
export async function readWorkflow(
  disk: Disk,
  settings: Settings,
  file: string,
  given: CheckOptions = {},
): Promise<FoundWorkflow> {
  const found = findText(file);
  if (found === null) throw new MailroomError('E_TARGET', `there is no workflow ${file}`);
  if (found.ok) return checkWorkflow(disk, settings, found.text, file, given);
  // An unreadable file does not stop the checks of the others.
  const problem = {
    code: 'E_FILE',
    severity: 'error',
    message: found.problem,
    place: null,
    hint: null,
  } as const;
  const path = shownPath(disk.root, file);
  const checked = { ok: false, problems: [problem] } as const;
  return { file, path, text: '', checked, promptContexts: () => [], fingerprint: () => '', parts: () => [] };
}

/** Reads workflows with these settings. */
export function readerOf(disk: Disk, settings: Settings): WorkflowReader {
  return { config: settings.config, workflow: (file) => readWorkflow(disk, settings, file) };
}

/** The caller's options besides the file. */
interface CheckOptions {
  /** The run that begins now; absent: none does. */
  readonly starting?: LanguageContext['starting'];
  /** Files that change the workflow, absolute. */
  readonly overrides?: readonly string[];
  /** Reads the file of a sub-workflow, as `readText` does; absent: from the disk. */
  readonly read?: typeof readText;
}

/** The same for a given text. */
export async function checkWorkflow(
  disk: Disk,
  settings: Settings,
  text: string,
  file: string,
  given: CheckOptions = {},
): Promise<FoundWorkflow> {
  const { parseWorkflow, promptContextsOf } = await import('../../languages/parse.ts');
  const languages = await languagesWith(settings.hooks);
  const texts = new Map<string, string>();
  const context = await contextOf(disk, settings, text, given, (path, written) => texts.set(path, written));
  const path = shownPath(disk.root, file);
  const checked: Checked<Workflow> = parseWorkflow(text, path, context, languages);
  const { withStepSettings } = await import('./obeyed-settings.ts');
  const held = await withStepSettings(checked, { ...settings, root: disk.root });
  texts.set(path, text);
  return {
    file,
    path,
    text,
    checked: withWeakSecrets(await verified(text, held, path, settings)),
    promptContexts: () => promptContextsOf(text, path, context, languages),
    fingerprint: () => fingerprintOf(texts),
    parts: () => [...texts].map(([name, content]) => ({ path: name, text: content })),
  };
}

/** A definition that is an event, with an error if its signature does not match its text. */
async function verified(
  text: string,
  checked: Checked<Workflow>,
  path: string,
  { hooks }: Settings,
): Promise<Checked<Workflow>> {
  if (!checked.ok || !checked.value.byEvents) return checked;
  return (await runEventsOf(hooks))?.verified(text, checked, path) ?? checked;
}

/** What a definition does not contain itself. `note` receives each text that it uses. */
async function contextOf(
  disk: Disk,
  { protocol, broaderThanRequested, providers, config, environment }: Settings,
  text: string,
  { starting = null, overrides = [], read = readText }: CheckOptions,
  note: (path: string, text: string) => void,
): Promise<LanguageContext> {
  const [{ parseAgents }, identityReader, { programFor }] = await Promise.all([
    import('../../config/read.ts'),
    import('../../languages/shared/identity.ts'),
    import('./programs.ts'),
  ]);
  const shown = (path: string) => shownPath(disk.root, path);
  return {
    protocol,
    broaderThanRequested,
    notEnforced: new Map([...providers.values()].map(({ name, notEnforced }) => [name, notEnforced])),
    withoutMcp: withoutMcpOf(providers),
    hasWorkers: config.workers !== null,
    checkedOut: landable(checkedOut(disk.root), config.protected),
    deputies: deputiesOf(protocol, config),
    strict: isStrict(config),
    hasProgram: (name) => findProgram(name, environment['PATH'], disk.root) === 'found',
    programOf: (provider) => programFor(config, provider, environment),
    nip: config.nip,
    agents: config.defaults,
    agentDefaults: config.defaults,
    profiles: config.profiles,
    agentsBeside: besideOf(disk, config, parseAgents, (path) => {
      const agents = read(path);
      if (agents !== null) note(shown(path), agents);
      return agents;
    }),
    notify: config.notify,
    files: noting(projectFiles(disk, await trackedFiles(disk.root, text)), note),
    workflows: () => identitiesBy(disk, identityReader),
    overrides: overrides.map((path) => ({ file: shown(path), text: expectText(path) })),
    starting,
    load: (name, from) => {
      const loaded = load(resolve(disk.root, from), name, shown, read);
      if (loaded.ok) note(loaded.file, loaded.text);
      return loaded;
    },
  };
}

/** The branch, unless it is protected: no step lands on such a branch. */
function landable(branch: string | null, protectedBranches: readonly string[]): string | null {
  const isProtected =
    branch !== null && protectedBranches.length > 0 && picomatch([...protectedBranches])(branch);
  return isProtected ? null : branch;
}

/** The agents of the agents.yaml in the folder of a workflow, which is not that of the project. */
function besideOf(
  { root }: Disk,
  config: Config,
  parse: typeof parseAgents,
  read: typeof readText,
): LanguageContext['agentsBeside'] {
  const found = new Map<string, ReturnType<LanguageContext['agentsBeside']>>();
  const readAgents = (path: string): ReturnType<LanguageContext['agentsBeside']> => {
    const shown = shownPath(root, path);
    try {
      const text = read(path);
      return text === null ? null : parse({ path: shown, text }, config);
    } catch (error) {
      if (!(error instanceof MailroomError)) throw error;
      const { code, message } = error;
      return { ok: false, problems: [{ code, severity: 'error', message, place: null, hint: null }] };
    }
  };
  return (file) => {
    const folder = dirname(resolve(root, file));
    if (folder === root) return null;
    const known = found.get(folder);
    if (known !== undefined) return known;
    const agents = readAgents(join(folder, 'agents.yaml'));
    found.set(folder, agents);
    return agents;
  };
}

function expectText(path: string): string {
  const text = readText(path);
  if (text === null) throw new MailroomError('E_USAGE', `there is no file ${path}`);
  return text;
}

/**
 * Notes the files that define a workflow: overrides, agents, skills, modules. Not memories, which
 * runs are meant to change.
 */
function noting(files: ProjectFiles, note: (path: string, text: string) => void): ProjectFiles {
  return {
    ...files,
    read: (path) => {
      const text = files.read(path);
      if (text !== null && !path.startsWith('memory/')) note(path, text);
      return text;
    },
  };
}

/**
 * Files that a workflow names. One that is not a readable text counts as absent, as does one behind
 * a file instead of a folder, and one that a link takes out of the project.
 */
export function projectFiles(disk: Disk, tracked: readonly string[]): ProjectFiles {
  return {
    read: (path) =>
      unlessRefused(null, () => {
        const real = disk.resolve(path);
        const content = real === null ? 'gone' : readContent(disk, real);
        return content !== 'gone' && content.ok ? content.text : null;
      }),
    list: (folder) =>
      unlessRefused([], () =>
        disk.look(folder)?.kind === 'folder' ? (disk.list(folder) ?? []).toSorted() : [],
      ),
    tracked,
  };
}

/** What the disk answers, or `absent` where it refuses to. */
function unlessRefused<T>(absent: T, ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    if (error instanceof MailroomError) return absent;
    throw error;
  }
}

/** The files that git tracks, read only for a workflow that needs them: that takes a process. */
async function trackedFiles(root: string, text: string): Promise<readonly string[]> {
  if (!text.includes('repo_structure')) return [];
  const { git } = await import('../../git/git.ts');
  const listed = await git(['ls-files', '-z'], { cwd: root });
  return listed.exitCode === 0 ? listed.stdout.split('\0').filter((path) => path !== '') : [];
}

/** A path for people: relative to the project if inside it. */
export function shownPath(root: string, path: string): string {
  const from = relative(root, path);
  return from.startsWith('..') || isAbsolute(from) ? path : from;
}

/** The file of a sub-workflow, relative to the one that names it. */
function load(from: string, name: string, shown: (path: string) => string, read: typeof readText): Loaded {
  const file = resolve(dirname(from), name);
  try {
    const text = read(file);
    if (text === null) return { ok: false, code: 'E_WORKFLOW', problem: `there is no file ${shown(file)}` };
    return { ok: true, file: shown(file), text };
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error;
    return { ok: false, code: 'E_WORKFLOW', problem: error.message };
  }
}

/** The value of a successful read. Throws its problems otherwise. */
export function expectRead<T>(checked: Checked<T>): T {
  if (!checked.ok) throw new ProblemsError(checked.problems);
  return checked.value;
}
