import { controlFolder } from '../../host/control.ts';
import { endOfId, type RoleName, type ThreadId } from '../../kernel/ids.ts';
import { because, due, type Why } from '../../kernel/why.ts';
import { readControl, readRunControl, type ControlFile } from '../../letters/letters.ts';
import type { MailAct } from '../machine/explain/words.ts';
import { runControlFolder } from '../../workflow/files/run-folders.ts';
import type { RunAct } from '../../workflow/machine/explain/explain.ts';
import type { Project } from '../../project/project.ts';

/** What is explained: a role, a thread, or another thing of the mail. */
export interface Subject {
  readonly role: RoleName | null;
  readonly thread: ThreadId | null;
}

/**
 * The pause of everything, of the role or of the thread that a person has commanded while no
 * controller runs; null: none, or it was taken back. It takes effect when a controller starts.
 */
export function recordedPause(project: Pick<Project, 'files'>, subject: Subject): Why<MailAct> | null {
  const last = new Map<string, ControlFile>();
  for (const text of project.files.commands(controlFolder)) {
    const read = readControl(text);
    if (read.ok && isPausing(read.value)) last.set(JSON.stringify(read.value.target), read.value);
  }
  const pauses = [...last.values()].filter(({ verb }) => verb === 'pause');
  const whys = pauses.map((pause) => whyOf(pause, subject));
  return whys.find((why) => why !== null) ?? null;
}

/**
 * Why a run without a process does not move, with a pause or its end that a person has commanded
 * since. `own`: as its journal says.
 */
export function withRecordedPause(
  project: Pick<Project, 'files'>,
  run: string,
  own: Why<RunAct>,
): Why<RunAct> {
  const pausing = project.files.commands(runControlFolder(run)).flatMap((text) => {
    const read = readRunControl(text);
    return read.ok && isPausing(read.value) ? [read.value] : [];
  });
  const last = pausing.at(-1);
  if (last === undefined) return own;
  const { by, at, verb } = last;
  if (verb !== 'pause') return own.code === 'paused' ? due('the run continues') : own;
  return because('paused', `the run is paused by ${by}, from the start of its next process`, {
    cause: { record: by, at },
    act: { do: 'unpause' },
  });
}

function isPausing({ verb }: { readonly verb: string }): boolean {
  return verb === 'pause' || verb === 'unpause';
}

function whyOf({ target, by, at }: ControlFile, { role, thread }: Subject): Why<MailAct> | null {
  const what =
    target.kind === 'all'
      ? 'everything'
      : target.kind === 'role' && target.role === role
        ? role
        : target.kind === 'thread' && target.thread === thread
          ? `thread …${endOfId(thread)}`
          : null;
  if (what === null || target.kind === 'letter') return null;
  return because('paused', `${what} is paused by ${by}, from the start of the next controller`, {
    cause: { record: by, at },
    act: { do: 'unpause', target },
  });
}
