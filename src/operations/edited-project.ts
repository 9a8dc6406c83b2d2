import { isAbsolute, relative } from 'node:path';
import { realPath, UnsavedDisk, type UnsavedTexts } from '../disk/unsaved.ts';
import { readText } from '../disk/text.ts';
import { kindOf, type FileKind } from '../editing/kind.ts';
import type { Checked, Diagnostic } from '../kernel/diagnostic.ts';
import { MailroomError } from '../kernel/errors.ts';
import { where } from '../yaml/diagnostics.ts';
import { hashOf, readSettings, type Settings } from './project/definition.ts';
import type { Edited } from './services.ts';
import { checkWorkflow } from './project/workflows.ts';

export class EditedProject implements Edited {
  readonly #disk: UnsavedDisk;
  readonly #unsaved: UnsavedTexts;
  readonly #packageRoot: string;
  /** False: only the folder of a file, outside of every project. */
  readonly #isProject: boolean;
  #settings: { readonly hash: string; readonly read: Checked<Settings> } | null = null;
  /** The last settings without errors. */
  #valid: Settings | null = null;

  constructor(root: string, isProject: boolean, unsaved: UnsavedTexts, packageRoot: string) {
    this.#disk = new UnsavedDisk(root, unsaved);
    this.#isProject = isProject;
    this.#unsaved = unsaved;
    this.#packageRoot = packageRoot;
  }

  refresh(): void {
    this.#settings = null;
  }

  async diagnose(path: string, text: string): Promise<readonly Diagnostic[]> {
    const file = realPath(path);
    const shown = this.#shown(file);
    const kind = kindOf(shown, this.#isProject && !isAbsolute(shown), text);
    if (kind === null) return [];
    const found = await this.#problems(kind, file, text);
    return found.filter(({ place }) => place === null || place.file === shown);
  }

  async #problems(kind: FileKind, file: string, text: string): Promise<readonly Diagnostic[]> {
    const read = await this.#readSettings();
    if (kind !== 'workflow') return read.ok ? read.warnings : read.problems;
    if (this.#valid === null) return [unreadSettings(read)];
    const readHere = (path: string) => this.#unsaved.get(path) ?? readText(path);
    const { checked } = await checkWorkflow(this.#disk, this.#valid, text, file, { read: readHere });
    return checked.ok ? checked.warnings : checked.problems;
  }

  async #readSettings(): Promise<Checked<Settings>> {
    try {
      const hash = hashOf(this.#disk);
      if (this.#settings?.hash !== hash)
        this.#settings = { hash, read: await readSettings(this.#disk, this.#packageRoot) };
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
