import type { JsonObject } from '../../kernel/json.ts';
import { isJsonObject } from '../../kernel/json.ts';
import type { StepPath } from '../machine/event.ts';
import type { Workflow } from '../model.ts';
import { join } from '../../disk/disk.ts';
import type { Disk, Kind } from '../../disk/disk.ts';
import { layFiles, putFolder, type Laid } from './copy.ts';
import { convergenceFolder, metaFile, summaryFile } from '../reserved.ts';
import { artifactFolder, placeOf } from './layout.ts';
import { findPath } from './paths.ts';
import { surveyFolder } from './survey.ts';
import type { Survey } from './survey.ts';

/**
 * The context folder of a run: the artifacts and results of each step. Its root is the folder
 * itself.
 */
export class ContextFolder {
  readonly #disk: Disk;
  readonly #definition: Workflow;

  constructor(disk: Disk, definition: Workflow) {
    this.#disk = disk;
    this.#definition = definition;
  }

  get root(): string {
    return this.#disk.root;
  }

  /** The contents of a step's artifact; null: there is none. */
  survey(path: StepPath, artifact: string): Survey | null {
    const folder = artifactFolder(placeOf(this.#definition, path).folder, artifact);
    const found = findPath(this.#disk, folder);
    if (found === null || this.#disk.look(found)?.kind !== 'folder') return null;
    return surveyFolder(this.#disk, found, () => false);
  }

  /** Copies a survey of this folder into a folder of a workspace; see `layFiles`. */
  lay(survey: Survey, workspace: Disk, to: Laid): void {
    layFiles(this.#disk, survey, workspace, to);
  }

  /** Makes an artifact of a step from a survey of another folder, atomically. */
  put(path: StepPath, artifact: string, source: Disk, survey: Survey): void {
    const folder = this.#own(path);
    artifactFolder(folder, artifact);
    putFolder(source, survey, this.#disk, folder, artifact);
  }

  /** Copies an artifact to another step; false: it does not exist. */
  copy(from: StepPath, artifact: string, to: StepPath, as: string): boolean {
    const survey = this.survey(from, artifact);
    if (survey === null) return false;
    this.put(to, as, this.#disk, survey);
    return true;
  }

  /** Removes the step's artifacts that are not among those to keep. */
  removeArtifacts(path: StepPath, kept: readonly unknown[]): void {
    const { step, folder } = placeOf(this.#definition, path);
    for (const { name } of step.outputs)
      if (!kept.includes(name)) this.#disk.remove(artifactFolder(folder, name));
  }

  meta(path: StepPath, document: JsonObject, text: string): void {
    const artifacts = document['artifacts'];
    if (Array.isArray(artifacts)) {
      const names = artifacts.map((artifact) => (isJsonObject(artifact) ? artifact['name'] : null));
      this.removeArtifacts(path, names);
    }
    this.#disk.write(join(this.#own(path), metaFile), text);
  }

  convergence(path: StepPath, iteration: number, text: string): void {
    this.#disk.write(join(join(this.#own(path), convergenceFolder), `${iteration}.json`), text);
  }

  summary(text: string): void {
    this.#disk.write(summaryFile, text);
  }

  /**
   * The step's folder. Anything else that a worker put in its place is removed, especially a link
   * out.
   */
  #own(path: StepPath): string {
    let folder = '';
    let kind: Kind | null = 'folder';
    for (const name of placeOf(this.#definition, path).folder.split('/')) {
      folder = join(folder, name);
      kind = this.#disk.look(folder)?.kind ?? null;
      if (kind !== null && kind !== 'folder') this.#disk.remove(folder);
    }
    if (kind !== 'folder') this.#disk.makeFolder(folder);
    return folder;
  }
}
