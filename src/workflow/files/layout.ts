import { MailroomError } from '../../kernel/errors.ts';
import { lockNames } from '../../kernel/lock-names.ts';
import type { StepPath } from '../machine/event.ts';
import { bodyOf } from '../bodies.ts';
import type { Body, Step, Workflow } from '../model.ts';
import { artifactNameProblem, childFolder, stepNameProblem } from '../reserved.ts';
import { join, pathError } from '../../disk/disk.ts';
import { runFolder } from '../../host/run-mail.ts';

/** The context folder of a run whose definition does not name one. */
export function ownContextFolder(run: string): string {
  return join(runFolder(run), 'shown');
}

/** The folders of a run, apart from its journal; its host creates missing ones. */
export function runFolders(run: string): string[] {
  const names = [
    'control',
    'inbox',
    'posted',
    'refused',
    'steps',
    'logs',
    'dead',
    'hooks',
    'context',
    'found',
  ];
  return [...names.map((name) => join(runFolder(run), name)), ownContextFolder(run)];
}

/** The lock file of a run in progress. */
export function runLockFile(run: string): string {
  return join(lockNames.folder, run);
}

/**
 * Beside it, with the extension `.json`: which process hosts the run. It is not among the locks,
 * which are removed.
 */
export function runHolder(run: string): string {
  return join(runFolder(run), 'lock');
}

/** A step, and its folder in the context: its path, with `_child` where a sub-workflow begins. */
interface Place {
  readonly step: Step;
  readonly folder: string;
}

const indexes = new WeakMap<Body, ReadonlyMap<string, Step>>();

/**
 * The place of a path. Throws `E_INTERNAL` for a path that the definition does not have, `E_PATH`
 * for a reserved name.
 */
export function placeOf(workflow: Workflow, path: StepPath): Place {
  const names = path.split('/');
  const folder: string[] = [];
  let body = workflow.body;
  for (let at = 0; ; at += 1) {
    const name = names[at] ?? '';
    const step = stepsOf(body).get(name.replace(/#\d+$/, ''));
    if (step === undefined) throw unknown(path);
    const taken = stepNameProblem(name);
    if (taken !== null) throw pathError(name, taken);
    folder.push(name);
    if (at === names.length - 1) return { step, folder: folder.join('/') };
    const loop = bodyOf(step.work);
    if (step.work.kind === 'finally') body = step.work.body;
    else if (loop !== null) {
      const index = names[(at += 1)] ?? '';
      if (!/^\d+$/.test(index)) throw unknown(path);
      folder.push(index);
      body = loop;
    } else if (step.work.kind === 'workflow') {
      folder.push(childFolder);
      body = step.work.workflow.body;
    } else throw unknown(path);
  }
}

/** An artifact's folder in its step's. Throws `E_PATH` for a reserved or unsafe name. */
export function artifactFolder(folder: string, name: string): string {
  const problem = artifactNameProblem(name);
  if (problem !== null) throw pathError(name, problem);
  return join(folder, name);
}

function stepsOf(body: Body): ReadonlyMap<string, Step> {
  const known = indexes.get(body) ?? new Map(body.steps.map((step) => [step.id, step]));
  indexes.set(body, known);
  return known;
}

function unknown(path: StepPath): MailroomError {
  return new MailroomError('E_INTERNAL', `the run has no step ${path}`);
}
