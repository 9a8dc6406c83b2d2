import { resolve } from 'node:path';
import { MailroomError } from '../../kernel/errors.ts';
import { roleCheckout } from '../../kernel/work.ts';
import { isJsonObject, parseJson, readExactJson, syntaxProblem, type JsonObject } from '../../kernel/json.ts';
import { maskJson, maskReport, maskValues, strongMask, type Mask } from '../../kernel/mask.ts';
import type { StepPath, ProcessKey } from '../machine/event.ts';
import type { Collected, Launch, LaunchOutput, Prepared } from '../machine/launch.ts';
import { readContent } from '../../disk/contents.ts';
import { makeOwnContext } from './context-holder.ts';
import { join } from '../../disk/disk.ts';
import { matchingFiles } from '../../disk/matching-files.ts';
import type { Disk } from '../../disk/disk.ts';
import { ContextFolder } from './context.ts';
import { layText } from './copy.ts';
import { checkOutputs, readOutputs } from './outputs.ts';
import { plainPath, realPath, realPlace } from './paths.ts';
import { guardOf, type Guard } from './guard.ts';
import { StepFolders } from './step-folders.ts';
import { Streams } from './streams.ts';
import type { OpenRoot } from '../../disk/roots.ts';
import type { OutputReading } from '../../host/latest-output.ts';
import { runFolder } from '../../host/run-mail.ts';
import type { RunFolder } from '../machine/run-folder.ts';

export type { OpenRoot };

interface RunFilesOptions {
  /** The project's disk. */
  readonly project: Disk;
  readonly run: RunFolder;
  readonly open: OpenRoot;
  /** What the project's rules are read from besides their usual names; see `guardOf`. */
  readonly rules?: readonly string[];
  /** Applied to text from outside, prompts and answers; documents are masked before. */
  readonly mask: Mask;
}

/**
 * The files of one run: its folder `.mailroom/runs/<run>/` and its context folder. Synchronous. A
 * path that leaves its root throws `E_PATH`; a refused disk operation throws `E_DISK`. Every file
 * appears by one rename. Construct it once the run's context folder is locked; throws `E_WORKSPACE`
 * without its workspace.
 */
export class RunFiles {
  readonly #run: RunFolder;
  readonly #project: Disk;
  readonly #open: OpenRoot;
  readonly #guard: Guard;
  readonly #mask: Mask;
  readonly #roots = new Map<string, Disk>();
  readonly #workspace: Disk;
  readonly #ownContext: ContextFolder;
  readonly #steps: StepFolders;
  /** The files of the workspace that steps read and write. */
  readonly streams: Streams;

  constructor({ project, run, open, rules, mask }: RunFilesOptions) {
    this.#run = run;
    this.#project = project;
    this.#open = open;
    this.#guard = guardOf(project.root, rules);
    this.#mask = mask;
    this.#workspace = this.#root(run.workspace);
    this.#ownContext = new ContextFolder(this.#makeContext(), run.definition);
    this.#steps = new StepFolders(project, run.run);
    this.streams = new Streams(this.#workspace, run.definition.ownWorkspace, { open, guard: this.#guard });
  }

  /**
   * Makes the folders, removes an old decision and old values, and places the inputs in a step's
   * first iteration; later ones reuse them. Idempotent. Throws `E_WORKSPACE` without the step's
   * workspace.
   */
  prepare(launch: Launch): Prepared {
    const context = this.#context;
    const workspace = this.#workspaceOf(launch);
    checkOutputs(workspace, launch.outputs, this.#guard);
    const decision = this.#decisionPath(workspace, launch);
    const inputs = launch.inputs.flatMap((input) => {
      const survey = context.survey(input.from, input.artifact);
      return survey === null ? [] : [{ input, survey, folder: this.#folder(workspace, input.as) }];
    });
    const stdin = launch.stdin === null ? null : this.streams.read(launch.stdin);
    if (launch.stdout !== null) this.streams.place(launch.stdout);
    const paths = this.#steps.open(launch.key);
    if (decision !== null) removeFile(workspace, decision);
    if (launch.key.iteration === 1 && launch.key.check === 0) {
      context.removeArtifacts(launch.key.path, []);
      const guard = this.#guard;
      for (const { survey, folder } of inputs)
        context.lay(survey, workspace, { folder, owner: launch.run, guard });
    }
    const absolute = (path: string): string => (path === '' ? workspace.root : `${workspace.root}/${path}`);
    return {
      ...paths,
      workspace: workspace.root,
      stdin,
      decisionFile: decision === null ? null : absolute(decision),
      inputs: inputs.map(({ input: { artifact, from }, folder }) => ({
        artifact,
        from,
        path: absolute(folder),
      })),
    };
  }

  /** Writes a file into the folder of a process: its prompt, its result. */
  note(key: ProcessKey, name: string, text: string): void {
    this.#steps.write(key, name, this.#mask.text(text));
  }

  /** Reads a worker's outputs and, where `keep`, copies them into the context. Idempotent. */
  collect(launch: Launch, keep: boolean): Collected {
    const context = this.#context;
    const workspace = this.#workspaceOf(launch);
    const ours = new Set([context.root, `${this.#project.root}/.mailroom`]);
    // No step may get another repository: git would obey it.
    const leaveOut = (path: string): boolean =>
      ours.has(`${workspace.root}/${path}`) || path.split('/').at(-1) === '.git';
    const { present, missing } = readOutputs(workspace, launch.outputs, { guard: this.#guard, leaveOut });
    if (keep) {
      for (const { artifact, survey } of present)
        context.put(launch.key.path, artifact.name, workspace, survey);
    }
    const decision = this.#decisionPath(workspace, launch);
    return {
      artifacts: present.map(({ artifact }) => artifact),
      missing,
      values: this.#values(launch.key),
      decision: decision === null ? null : this.#decision(workspace, decision),
      warnings: present.flatMap(({ artifact, survey }) =>
        survey.warnings.map((warning) => `artifact ${artifact.name}: ${warning}`),
      ),
    };
  }

  /** Writes a declared output for a worker that can only answer with text. */
  handOver(launch: Launch, output: LaunchOutput, text: string): void {
    const workspace = this.#workspaceOf(launch);
    layText(workspace, this.#place(workspace, output.path), this.#mask.text(text), launch.run);
  }

  /**
   * Writes a program's output (`text` null), or the given text, where the launch wants it.
   * Idempotent.
   */
  keepOutput({ key, stdout }: Launch, text: string | null): void {
    if (stdout === null) return;
    const printed = () => this.#steps.printed(key);
    this.streams.write(stdout, text === null ? printed() : [Buffer.from(this.#mask.text(text))]);
  }

  /**
   * The files of the workspace that match a glob, sorted; without those of git, Mailroom, package
   * managers and the context. Throws `E_PATH`, and `E_VALUE` for too many.
   */
  matching(glob: string): string[] {
    const pattern = plainPath(glob);
    const { contextDir } = this.#run.definition;
    const found = [
      ...matchingFiles(this.#workspace, [pattern], contextDir === null ? [] : [contextDir]).keys(),
    ];
    if (found.length <= mostMatches) return found.toSorted();
    throw new MailroomError('E_VALUE', `more than ${String(mostMatches)} files match ${glob}`);
  }

  /**
   * The git object that a step's changes are measured against. Throws `E_FILE` when the file that
   * should name it does not.
   */
  diffBase(launch: Launch): string {
    const base = launch.convergence?.diffBase ?? { kind: 'ref', ref: 'HEAD' };
    if (base.kind === 'ref') return base.ref;
    const workspace = this.#workspaceOf(launch);
    const content = readContent(workspace, realPath(workspace, plainPath(base.path)), 10_000);
    const ref = content !== 'gone' && content.ok ? (content.text.trim().split(/\s/)[0] ?? '') : '';
    if (ref !== '') return ref;
    throw new MailroomError('E_FILE', `${base.path} should say what to compare with, and does not`);
  }

  /**
   * Copies an artifact of a sub-workflow's step to the step that exports it; false: it does not
   * exist.
   */
  export(from: StepPath, artifact: string, to: StepPath, as: string): boolean {
    return this.#context.copy(from, artifact, to, as);
  }

  /** Writes the result of an iteration to `<context>/<path>/_convergence/<iteration>.json`. */
  convergence(path: StepPath, iteration: number, document: JsonObject): void {
    this.#context.convergence(path, iteration, written(document));
  }

  /**
   * Writes `<context>/<path>/_meta.json`, and removes artifacts of the step that its `artifacts` do
   * not name.
   */
  meta(path: StepPath, document: JsonObject): void {
    this.#context.meta(path, document, written(document));
  }

  /** Writes `<context>/_workflow.json`. */
  summary(document: JsonObject): void {
    this.#context.summary(written(document));
  }

  /** Writes a file of this name into the run's folder. */
  record(name: string, text: string): void {
    this.#project.write(join(runFolder(this.#run.run), name), text);
  }

  /**
   * The end of a process's output after `read` has made it readable, at most this many characters;
   * empty when unknown.
   */
  tail(key: ProcessKey, characters: number, read: (printed: string) => string): string {
    const text = this.#mask.text(read(this.#steps.tail(key, tailBytes)));
    return Array.from(text).slice(-characters).join('');
  }

  /** All that a process has printed so far; empty: nothing. */
  printed(key: ProcessKey): string {
    return this.#steps.tail(key, mostPrinted);
  }

  /** The last lines that a process has printed, the newest last. `said`: as in `OutputReading`. */
  latest(key: ProcessKey, most: number, said: OutputReading['said']): readonly string[] {
    return this.#steps.latest(key, most, { mask: this.#mask, said });
  }

  /** Keeps a step that failed permanently: its prompt, inputs, reason, cost so far and changes. */
  deadLetter(path: StepPath, document: JsonObject, difference: Uint8Array | null): void {
    this.#steps.deadLetter(path, written(document), difference);
  }

  /** Masks strong secrets before anything cuts the strings. */
  #values(key: ProcessKey): Collected['values'] {
    const strong = strongMask(this.#mask);
    const values = readValues(this.#project, this.#steps.valuesFile(key), strong);
    return isJsonObject(values) ? maskValues(values, strong) : maskJson(values, strong);
  }

  #decision(workspace: Disk, path: string): string | null {
    const text = readDecision(workspace, path);
    return text === null ? null : maskReport(text, this.#mask);
  }

  /** Masks secrets in the values file that a process has left. */
  hideValues(key: ProcessKey): void {
    this.#hide(this.#steps.valuesFile(key));
  }

  /**
   * The same for all processes but these: a host that died, or a power loss, can have left any of
   * these files unmasked.
   */
  hideAllValues(but: readonly ProcessKey[]): void {
    const left = new Set(but.map((key) => this.#steps.valuesFile(key)));
    for (const path of this.#steps.valuesFiles()) if (!left.has(path)) this.#hide(path);
  }

  #hide(path: string): void {
    const text = this.#project.read(path, Number.MAX_SAFE_INTEGER)?.toString();
    if (text === undefined || this.#mask.name(text) === text) return;
    const value = parseJson(text);
    const masked = isJsonObject(value) ? maskValues(value, this.#mask) : value && maskJson(value, this.#mask);
    this.#project.write(path, masked === undefined ? this.#mask.name(text) : JSON.stringify(masked));
  }

  /** Only while the workspace exists: projecting would otherwise create an empty one. */
  get #context(): ContextFolder {
    if (this.#workspace.look('')?.kind === 'folder') return this.#ownContext;
    const text = `the workspace ${this.#run.workspace} was deleted or moved`;
    throw new MailroomError('E_WORKSPACE', text, 'put it back');
  }

  #makeContext(): Disk {
    const { definition } = this.#run;
    const context = this.#run.context ?? definition.contextAt;
    if (context !== undefined) return this.#root(context);
    const { contextDir } = definition;
    if (contextDir === null) return this.#root(makeOwnContext(this.#project, this.#run.run));
    const folder = this.#folder(this.#workspace, contextDir);
    for (const { id } of definition.body.steps) this.#guard(this.#workspace, join(folder, id), id);
    this.#workspace.makeFolder(folder);
    return this.#root(folder === '' ? this.#workspace.root : `${this.#workspace.root}/${folder}`);
  }

  #workspaceOf({ run, workspace: given, checkout }: Launch): Disk {
    if (checkout !== undefined)
      return this.#root(`${this.#project.root}/.mailroom/worktrees/${roleCheckout(run, checkout.name)}`);
    if (given === null) return this.#workspace;
    if (given.outside) return this.#root(resolve(this.#run.workspace, given.path));
    const folder = this.#folder(this.#workspace, given.path);
    return folder === '' ? this.#workspace : this.#root(`${this.#workspace.root}/${folder}`);
  }

  /** A folder of a workspace that is allowed to be written. */
  #folder(workspace: Disk, path: string): string {
    const folder = realPath(workspace, plainPath(path));
    this.#guard(workspace, folder, path);
    return folder;
  }

  /** The same for a file that is replaced. */
  #place(workspace: Disk, path: string): string {
    const place = realPlace(workspace, plainPath(path));
    this.#guard(workspace, place, path);
    return place;
  }

  /** Where the verdict of a check is read; null: it has no file, or this is not a check. */
  #decisionPath(workspace: Disk, { check }: Launch): string | null {
    if (check === null || check.decisionFile === null) return null;
    return this.#place(workspace, check.decisionFile);
  }

  #root(path: string): Disk {
    const disk = this.#roots.get(path) ?? this.#open(path);
    if (disk === null)
      throw new MailroomError('E_WORKSPACE', `there is no folder ${path} to work in`, 'make it first');
    this.#roots.set(path, disk);
    return disk;
  }
}

function written(document: JsonObject): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Removes an old decision; a folder in its place is kept. */
function removeFile(disk: Disk, path: string): void {
  if (disk.look(path)?.kind === 'folder')
    throw new MailroomError('E_FILE', `${join('', path)} is a folder: no decision can be written there`);
  disk.remove(path);
}

/**
 * Bytes read from the end of an output to find its final text; an agent's events are longer than
 * its words.
 */
const tailBytes = 4 * 1024 * 1024;

/** More bytes than a program can print before it is ended. */
const mostPrinted = 64 * 1024 * 1024;

/** The maximum size of a values file, and of a decision, in bytes. */
const valuesBytes = 4 * 1024 * 1024;

/** The maximum number of files that a glob may match. */
const mostMatches = 100_000;

const decisionBytes = 1024 * 1024;

/** The values of a worker; null: there is no file. */
function readValues(disk: Disk, path: string, mask: Mask): Collected['values'] {
  const content = readContent(disk, path, valuesBytes);
  if (content === 'gone') return null;
  if (!content.ok) return { unreadable: content.problem };
  const read = readExactJson(content.text);
  if (read.ok) return read.value;
  // The problem shows a part of a line, in which a part of a secret would not be found.
  return { unreadable: syntaxProblem(mask.text(content.text)) ?? read.problem };
}

/** The content of a decision file, empty if it is not a file; null: it does not exist. */
function readDecision(disk: Disk, path: string): string | null {
  if (disk.look(path) === null) return null;
  const content = readContent(disk, realPath(disk, path), decisionBytes);
  if (content === 'gone') return null;
  return content.ok ? content.text : '';
}
