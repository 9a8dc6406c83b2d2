import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { realPath, UnsavedDisk, type UnsavedTexts } from '../disk/unsaved.ts';
import { readText } from '../disk/text.ts';
import { keyAt, planned } from '../editing/about.ts';
import { complete } from '../editing/complete.ts';
import type { Completion } from '../editing/cursor.ts';
import { checkMessage } from '../editing/message.ts';
import { occurrencesIn } from '../editing/occurrences.ts';
import { occurrenceAt, renameAt, type Renamed } from '../editing/rename.ts';
import { checkOverrides, grammarFor } from '../editing/texts.ts';
import { kindOf, type FileKind } from '../editing/kind.ts';
import type { Languages } from '../languages/shared/workflow-language.ts';
import { orElse } from '../kernel/contained.ts';
import type { Workflow } from '../workflow/model.ts';
import type { Checked, Diagnostic } from '../kernel/diagnostic.ts';
import { MailroomError } from '../kernel/errors.ts';
import { where } from '../yaml/diagnostics.ts';
import { hashOf, SettingsReader, type Settings, type Surroundings } from './definition/definition.ts';

import { languagesWith } from './definition/hooks.ts';
import { listProtocolFiles, listWorkflowFiles } from './definition/project-files.ts';
import { checkWorkflow } from './definition/workflows.ts';

/** A part of a file (absolute), by offsets in its text. */
export interface Defined {
  readonly file: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** The files of a folder as an editor shows them, unsaved texts included. Writes nothing. */
export class EditedProject {
  readonly #disk: UnsavedDisk;
  readonly #unsaved: UnsavedTexts;
  readonly #surroundings: Surroundings;
  readonly #languages: Languages;
  /** False: only the folder of a file, outside of every project. */
  readonly #isProject: boolean;
  #settings: { readonly hash: string; readonly read: Checked<Settings> } | null = null;
  /** The last settings without errors. */
  #valid: Settings | null = null;

  private constructor(
    root: string,
    isProject: boolean,
    unsaved: UnsavedTexts,
    surroundings: Surroundings,
    languages: Languages,
  ) {
    this.#disk = new UnsavedDisk(root, unsaved);
    this.#isProject = isProject;
    this.#unsaved = unsaved;
    this.#surroundings = surroundings;
    this.#languages = languages;
  }

  static async open(
    root: string,
    isProject: boolean,
    unsaved: UnsavedTexts,
    surroundings: Surroundings,
  ): Promise<EditedProject> {
    const languages = await languagesWith(surroundings.hooks ?? []);
    return new EditedProject(root, isProject, unsaved, surroundings, languages);
  }

  /** Reads the settings again at the next question: a file that they depend on may have changed. */
  refresh(): void {
    this.#settings = null;
  }

  /** All problems of one file (absolute), by the checks of `validate` and `check`. */
  async diagnose(path: string, text: string): Promise<readonly Diagnostic[]> {
    const { file, shown, kind } = this.#about(path, text);
    if (kind === null) return [];
    const found = await this.#problems(kind, file, text);
    return found.filter(({ place }) => place === null || place.file === shown);
  }

  /** What may stand at an offset. */
  async complete(path: string, text: string, offset: number): Promise<readonly Completion[]> {
    const { file, kind } = this.#about(path, text);
    if (kind === null) return [];
    await this.#readSettings();
    const { protocol, config, providers } = this.#valid ?? { protocol: null, config: null, providers: null };
    const around = {
      roles: [...(protocol?.roles.keys() ?? [])],
      types: [...(protocol?.types.keys() ?? [])],
      agents: [...(config?.profiles.keys() ?? [])],
      providers: [...(providers?.keys() ?? [])],
      files: this.#filesFor(file, kind),
    };
    return complete(text, offset, kind, around, this.#languages);
  }

  /** Files that a source text of a kind can name, by paths from its folder. */
  #filesFor(file: string, kind: FileKind): string[] {
    const names =
      kind === 'workflow'
        ? listWorkflowFiles(this.#disk)
        : kind === 'protocol'
          ? listProtocolFiles(this.#disk, 'protocols')
          : [];
    return names
      .map((name) => relative(dirname(file), join(this.#disk.root, name)))
      .filter((name) => name !== basename(file))
      .map((name) => (name.startsWith('.') ? name : `./${name}`));
  }

  /** What is known of a key or a step at an offset, as Markdown; null: nothing. */
  async hover(path: string, text: string, offset: number): Promise<string | null> {
    const { file, kind } = this.#about(path, text);
    const grammar = grammarFor(kind, text, this.#languages);
    if (grammar === null) return null;
    const at = occurrenceAt(occurrencesIn(text, grammar), offset);
    const step = kind === 'workflow' && at?.kind === 'step' ? await this.#planned(file, text, at.name) : null;
    return step ?? keyAt(text, offset, grammar)?.text ?? null;
  }

  async #planned(file: string, text: string, step: string): Promise<string | null> {
    await this.#readSettings();
    const checked = this.#valid && (await this.#check(this.#valid, file, text));
    return checked?.ok === true ? planned(checked.value, step) : null;
  }

  /** Where the name at an offset is defined; null: nowhere. */
  async define(path: string, text: string, offset: number): Promise<Defined | null> {
    const { file, kind } = this.#about(path, text);
    const grammar = grammarFor(kind, text, this.#languages);
    const at = grammar && occurrenceAt(occurrencesIn(text, grammar), offset);
    if (at == null) return null;
    if (at.kind === 'file') return this.#fileAt(resolve(dirname(file), at.name));
    const others = ['role', 'type', 'agent'].includes(at.kind) ? this.#definitionFiles() : [];
    for (const each of [file, ...others]) {
      const other = each === file ? text : this.#read(each);
      const own = other === null ? null : grammarFor(this.#about(each, other).kind, other, this.#languages);
      const found =
        own &&
        occurrencesIn(other!, own).find(
          ({ kind: what, name, defines }) => defines && what === at.kind && name === at.name,
        );
      if (found != null) return { file: each, text: other!, from: found.from, to: found.to };
    }
    return null;
  }

  #fileAt(file: string): Defined | null {
    const text = this.#read(file);
    return text === null ? null : { file, text, from: 0, to: 0 };
  }

  /** Files that define roles, message types and agents, absolute. */
  #definitionFiles(): string[] {
    const files = ['mailroom.yaml', 'agents.yaml', ...listProtocolFiles(this.#disk, 'protocols')];
    return files.map((file) => join(this.#disk.root, file));
  }

  #read(file: string): string | null {
    return this.#unsaved.get(file) ?? orElse(() => readText(file), null);
  }

  /** Renames what is named at an offset, in this file. */
  rename(path: string, text: string, offset: number, name: string): Renamed {
    const grammar = grammarFor(this.#about(path, text).kind, text, this.#languages);
    return grammar === null
      ? { ok: false, why: 'there is no name here that can be changed' }
      : renameAt(text, offset, name, grammar);
  }

  #about(path: string, text: string): { file: string; shown: string; kind: FileKind | null } {
    const file = realPath(path);
    const shown = this.#shown(file);
    const inProject = this.#isProject && !isAbsolute(shown);
    return { file, shown, kind: kindOf(shown, inProject, text, this.#languages) };
  }

  async #problems(kind: FileKind, file: string, text: string): Promise<readonly Diagnostic[]> {
    if (kind === 'overrides') return checkOverrides(text, this.#shown(file));
    const read = await this.#readSettings();
    if (kind === 'message') return checkMessage(text, this.#shown(file), this.#valid?.protocol ?? null);
    if (kind !== 'workflow') return read.ok ? read.warnings : read.problems;
    if (this.#valid === null) return [unreadSettings(read)];
    const checked = await this.#check(this.#valid, file, text);
    return checked.ok ? checked.warnings : checked.problems;
  }

  async #check(settings: Settings, file: string, text: string): Promise<Checked<Workflow>> {
    const read = (path: string) => this.#unsaved.get(path) ?? readText(path);
    return (await checkWorkflow(this.#disk, settings, text, file, { read })).checked;
  }

  async #readSettings(): Promise<Checked<Settings>> {
    try {
      const hash = hashOf(this.#disk);
      if (this.#settings?.hash !== hash)
        this.#settings = { hash, read: await new SettingsReader(this.#disk, this.#surroundings).read() };
      const { read } = this.#settings;
      if (read.ok) this.#valid = read.value;
      return read;
    } catch (error) {
      if (!(error instanceof MailroomError)) throw error;
      const { code, message, hint } = error;
      return { ok: false, problems: [{ code, severity: 'error', message, place: null, hint }] };
    }
  }

  #shown(file: string): string {
    const path = relative(this.#disk.root, file);
    return path.startsWith('..') || isAbsolute(path) ? file : path;
  }
}

/** Says where the errors are because of which a workflow cannot be checked. */
function unreadSettings(read: Checked<Settings>): Diagnostic {
  const first = read.ok ? undefined : read.problems.find(({ severity }) => severity === 'error');
  const place = first?.place == null ? '' : `${where(first.place)}: `;
  const message = `this workflow is not checked while the settings of the project have errors: ${place}${first?.message ?? ''}`;
  return {
    code: first?.code ?? 'E_FILE',
    severity: 'error',
    message,
    place: null,
    hint: first?.hint ?? null,
  };
}
