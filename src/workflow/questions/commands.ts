import { numberedPath } from '../machine/keyed-path.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { startBeside } from '../../process/supervision/detached.ts';
import { strangerProblem } from '../machine/approval.ts';
import { refusal } from '../machine/commands.ts';
import { compile } from '../machine/rules.ts';
import type { RunControlFile } from '../host/commands.ts';
import type { Project } from '../../project/project.ts';
import { askRun, cancelWaiting, refuseImpossible } from '../runs/ask-run.ts';
import type { StoredRun } from '../../project/definition/contracts.ts';
import type { RunVerdict } from '../../documents/runs.ts';

/** Who gives a command, and the id by which a repetition is recognized. */
export interface Commander {
  readonly project: Project;
  readonly by: string;
  /** Null: it is never repeated. */
  readonly id: string | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type Wish = Pick<RunControlFile, 'verb' | 'path'> &
  Partial<Pick<RunControlFile, 'choice' | 'comment' | 'fields' | 'instructions'>>;

function fileOf({ project, by, id, now }: Commander, wish: Wish): RunControlFile {
  const { verb, path, choice = null, comment = null, fields = {}, instructions = null } = wish;
  return { id: id ?? project.newId(), at: now(), by, verb, path, choice, comment, fields, instructions };
}

/** Cancels a run, or answers one of its gates. Throws `E_REFUSED`, and `E_KEY` for others. */
export async function commandRun(commander: Commander, word: string, wish: Wish): Promise<RunVerdict> {
  const { project, now } = commander;
  const { workflows } = project;
  const file = fileOf(commander, wish);
  const waiting = wish.verb === 'cancel' && workflows.find(word) === null ? workflows.waiting(word) : null;
  if (waiting !== null) return cancelWaiting({ workflows, now }, waiting, file);
  const stored = workflows.run(word);
  const before = workflows.verdict(stored.run, file.id);
  if (before === undefined) {
    refuseEarly(stored, file);
    return askRun({ workflows, now }, stored, file);
  }
  if (before.refusal !== null) throw new MailroomError('E_REFUSED', before.refusal);
  return done(stored, file);
}

async function done(stored: StoredRun, { verb, path }: RunControlFile): Promise<RunVerdict> {
  return { schema: 1, state: 'done', verb, run: stored.run, path, host: await stored.alive() };
}

/**
 * Throws where a command names no waiting gate, or the person is not among its approvers; nothing
 * is recorded then.
 */
function refuseEarly(stored: StoredRun, file: RunControlFile): void {
  const state = stored.state();
  const phase = state.steps.get(file.path)?.phase;
  const problem = phase?.is === 'asked' ? strangerProblem(phase, file) : null;
  if (problem !== null) throw new MailroomError('E_KEY', problem);
  const reason = refusal(state, compile(stored.definition), file);
  if (reason?.code === 'E_TARGET') throw new MailroomError(reason.code, reason.text);
}

/** Runs a failed step again: by the process of the run, else by a new one. */
export async function retryStep(
  commander: Commander,
  word: string,
  step: string,
  instructions: string | null,
): Promise<RunVerdict> {
  const { project, now } = commander;
  const { workflows } = project;
  const stored = workflows.run(word);
  const file = fileOf(commander, { verb: 'retry', path: numberedPath(stored.state(), step), instructions });
  if (await stored.alive()) {
    const verdict = await askRun({ workflows, now }, stored, file);
    // Its process may have ended without reading the command.
    if (verdict.state === 'done' || verdict.host) return verdict;
  } else {
    refuseImpossible(stored, file);
    workflows.request(stored.run, file);
  }
  await resumeBeside(project, stored.run);
  const verdict = await done(stored, file);
  const isRead = workflows.verdict(stored.run, file.id) !== undefined;
  return isRead ? verdict : { ...verdict, state: 'recorded' };
}

/** Resumes a run in a new process. Throws `E_REFUSED` where it has one, or cannot be resumed. */
export async function resumeRun({ project }: Pick<Commander, 'project'>, word: string): Promise<StoredRun> {
  const stored = project.workflows.run(word);
  if (await stored.alive()) throw new MailroomError('E_REFUSED', 'a process works on the run already');
  const { rollback, status } = stored.state();
  if (status === 'SUCCEEDED') throw new MailroomError('E_REFUSED', `the run is over: ${status}`);
  if (rollback?.over === true && rollback.problem === null)
    throw new MailroomError('E_REFUSED', 'the run was rolled back, and cannot be resumed');
  await resumeBeside(project, stored.run);
  return stored;
}

/** Starts a process that resumes a run, and waits until it hosts the run or has ended it. */
async function resumeBeside({ root, workflows }: Project, run: string): Promise<void> {
  const { events } = workflows.run(run).state();
  startBeside(['-C', root, 'resume', run], root);
  await workflows.hosted(run, events);
}
