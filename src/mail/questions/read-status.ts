import { counted } from '../../kernel/enumerate.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { refusalToRead } from '../../disk/contents.ts';
import { mailMatching, type IsMail } from '../mailboxes/mail-files.ts';
import { misplacedText } from '../mailboxes/misplaced.ts';
import type { ProjectHolder } from '../../host/holder.ts';
import type { Protocol } from '../format/protocol.ts';
import type { Project } from '../../project/project.ts';
import type { StatusSource } from '../controller/kept-status.ts';
import { statusOf } from './status.ts';
import { unhostedProblems } from './unhosted.ts';
import { progressFile } from './turn-tools.ts';
import { listedThreads, type ListedThread } from './listed-threads.ts';
import { explainStatus, unexplained, type StatusWhys } from './status-whys.ts';
import { seenWorkers } from './seen-workers.ts';
import type { RoleName } from '../../kernel/ids.ts';
import { checkoutOwner } from '../../kernel/work.ts';
import type {
  MailStatus,
  Overview,
  StatusDocument,
  ThreadStatus,
  TurnStatus,
  WaitingThread,
} from '../../documents/status.ts';

/** The status of a project from its files; an unreadable protocol is one of the problems. */
export async function readStatus(project: Project, now: number): Promise<StatusDocument> {
  const read = await readMail(project, now);
  const whys = explain(project, read);
  return { ...overviewOf(project, read, whys), threads: threadRows(project, read.status, whys) };
}

/** What is in motion in a project, by its files, without the list of its threads. */
export async function readOverview(project: Project, now: number): Promise<Overview> {
  const read = await readMail(project, now);
  return overviewOf(project, read, explain(project, read, []));
}

/** The threads of a project, the oldest first. */
export interface ThreadList {
  readonly threads: readonly ListedThread[];
  /** Some of them, with why each does not move. */
  explained<T extends ListedThread>(some: readonly T[]): (T & WaitingThread)[];
}

/** The threads of a project from its files; only those that are asked for are explained. */
export async function readThreads(project: Project, now: number): Promise<ThreadList> {
  const read = await mailOf(project, now);
  return {
    threads: listedThreads(read.status),
    explained: (some) => {
      const whys = explain(project, read, some);
      return withWorktrees(project, some).map((thread) => ({ ...thread, why: whys.thread(thread.id) }));
    },
  };
}

interface ReadMail {
  readonly holder: ProjectHolder | null;
  /** Null: it cannot be read. */
  readonly protocol: Protocol | null;
  readonly status: MailStatus;
  readonly now: number;
}

function explain(project: Project, { protocol, status, now }: ReadMail, threads?: readonly ThreadStatus[]) {
  if (protocol === null) return unexplained;
  const { problems } = status;
  return explainStatus(project, { status, protocol, now, problems, ...(threads && { threads }) });
}

function overviewOf(
  project: Project,
  {
    status: { threads: _list, ...status },
    workflows: { runs, triggers },
  }: Awaited<ReturnType<typeof readMail>>,
  whys: StatusWhys,
): Overview {
  return {
    ...status,
    at: null,
    roles: status.roles.map((role) => ({ ...role, why: whys.role(role.name) })),
    runs,
    triggers,
    workers: seenWorkers(project),
  };
}

function threadRows(project: Project, status: MailStatus, whys: StatusWhys): WaitingThread[] {
  const threads = withWorktrees(project, listedThreads(status));
  return threads.map((thread) => ({ ...thread, why: whys.thread(thread.id) }));
}

/** What journal and protocol say, without what lies in folders. */
async function mailOf(project: Project, now: number): Promise<ReadMail> {
  const holder = project.holder();
  const definition = await project.definition();
  const protocol = definition.ok ? definition.value.protocol : null;
  return { holder, protocol, status: statusOf(project.statusSource().mail, { holder, protocol, now }), now };
}

async function readMail(project: Project, now: number) {
  const holder = project.holder();
  const { mail, inboxes } = project.statusSource();
  const definition = await project.definition();
  const protocol = definition.ok ? definition.value.protocol : null;
  const workflows = await project.workflows.status(holder);
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
  const problems = [...new Set([...unread, ...found, ...workflows.problems, ...denied, ...misplaced])];
  const recorded =
    holder === null ? roles.reduce((sum, role) => sum + project.names(role, 'outbox').length, 0) : 0;
  const status = statusOf(mail, { holder, protocol, hash: project.hash(), dropped, recorded, problems, now });
  const turns = status.turns.map((turn) => ({ ...turn, progress: progressOf(project, turn) }));
  return { holder, protocol, status: { ...status, turns }, workflows, now };
}

/** Threads with the folders of their git worktrees, as far as those exist. */
export function withWorktrees<T extends ThreadStatus>({ files }: Project, threads: readonly T[]): T[] {
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
