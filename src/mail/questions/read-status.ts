import { counted } from '../../kernel/enumerate.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { refusalToRead } from '../../disk/contents.ts';
import { mailMatching, type IsMail } from '../mailboxes/mail-files.ts';
import { misplacedText } from '../mailboxes/misplaced.ts';
import type { Project } from '../../project/project.ts';
import type { StatusSource } from '../controller/kept-status.ts';
import { statusOf } from './status.ts';
import { unhostedProblems } from './unhosted.ts';
import { progressFile } from './turn-tools.ts';
import { explainStatus, unexplained } from './status-whys.ts';
import { seenWorkers } from './seen-workers.ts';
import type { RoleName } from '../../kernel/ids.ts';
import { checkoutOwner } from '../../kernel/work.ts';
import type { ThreadStatus, TurnStatus, StatusDocument } from '../../documents/status.ts';

/** The status of a project from its files; an unreadable protocol is one of the problems. */
export async function readStatus(project: Project, now: number): Promise<StatusDocument> {
  const holder = project.holder();
  const { mail, inboxes } = project.statusSource();
  const definition = await project.definition();
  const protocol = definition.ok ? definition.value.protocol : null;
  const { runs, triggers, problems: wrong } = await project.workflows.status(holder);
  const unread = definition.ok ? [] : [unreadable(definition.problems.length)];
  const misplaced = definition.ok
    ? project.misplaced(definition.value.protocol, definition.value.config).map(misplacedText)
    : [];
  const roles = [...(protocol?.roles.keys() ?? project.roles())];
  const isMail = mailMatching(definition.ok ? definition.value.config.inboxPatterns : []);
  const waiting = holder === null ? droppedMail(project, inboxes, roles, isMail) : [];
  const dropped = new Map(waiting.map(([role, names]) => [role, names.length]));
  const denied = waiting.flatMap(([role, names]) =>
    names
      .slice(0, mostOpened)
      .flatMap((name) => refusalToRead(project.disk, `agents/${role}/inbox/${name}`) ?? []),
  );
  const found = holder?.problems ?? unhostedProblems(project, definition.ok ? definition.value : null);
  const problems = [...new Set([...unread, ...found, ...wrong, ...denied, ...misplaced])];
  const recorded =
    holder === null ? roles.reduce((sum, role) => sum + project.names(role, 'outbox').length, 0) : 0;
  const parts = { holder, protocol, hash: project.hash(), dropped, recorded, problems, now };
  const status = statusOf(mail, parts);
  const turns = status.turns.map((turn) => ({ ...turn, progress: progressOf(project, turn) }));
  const threads = withWorktrees(project, status.threads);
  const explained =
    holder === null || protocol === null ? unexplained : explainStatus(project, status, protocol, now);
  return {
    ...status,
    at: null,
    roles: status.roles.map((role) => ({ ...role, why: explained.role(role.name) })),
    turns,
    threads: threads.map((thread) => ({ ...thread, why: explained.thread(thread.id) })),
    runs,
    triggers,
    workers: seenWorkers(project),
  };
}

/** Threads with the folders of their git worktrees, as far as those exist. */
export function withWorktrees({ files }: Project, threads: readonly ThreadStatus[]): ThreadStatus[] {
  const folder = '.mailroom/worktrees';
  const found = new Map<string, { role: RoleName | null; path: string }[]>();
  for (const name of files.list(folder)) {
    const { thread, role } = checkoutOwner(name);
    found.set(thread, [...(found.get(thread) ?? []), { role, path: `${folder}/${name}` }]);
  }
  return threads.map((thread) => {
    const made = found.get(thread.id) ?? [];
    return {
      ...thread,
      worktree: made.find(({ role }) => role === null)?.path ?? null,
      checkouts: made.flatMap(({ role, path }) => (role === null ? [] : [{ role, path }])),
    };
  });
}

function unreadable(count: number): string {
  const what = counted(count, 'problem');
  return `the protocol cannot be read, and so no roles: it has ${what}; \`mailroom check\` shows what is wrong`;
}

/** Without a controller, dropped files are not yet mail, but they wait too. */
function droppedMail(
  project: Project,
  inboxes: StatusSource['inboxes'],
  roles: readonly RoleName[],
  isMail: IsMail,
): (readonly [role: RoleName, names: readonly string[]])[] {
  const accepted = new Map(inboxes.map(([role, names]) => [role, new Set(names)]));
  return roles.map((role) => [
    role,
    project.names(role, 'inbox', isMail).filter((name) => accepted.get(role)?.has(name) !== true),
  ]);
}

/** So many files of a role are opened to see whether they can be read. */
const mostOpened = 100;

/** The maximum length of an agent's progress line. */
const longest = 200;

/**
 * An agent reports progress by a file in its staging folder; other file types there are ignored.
 */
function progressOf({ files }: Project, { id, state, attempt }: TurnStatus): string | null {
  if (state !== 'running') return null;
  try {
    const path = `.mailroom/turns/${id}/${String(attempt)}/outbox/${progressFile}`;
    const text = files.part(path, 0, 16 * longest)?.toString('utf8');
    return text?.trim().replaceAll(/\s+/g, ' ').slice(0, longest) ?? null;
  } catch (error) {
    if (error instanceof MailroomError) return null;
    throw error;
  }
}
