import { listed } from '../../kernel/enumerate.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { MailState } from '../../mail/machine/state.ts';
import { namedIn } from '../../workflow/runs/targets.ts';
import type { Context } from '../context.ts';
import { idOf } from '../ids.ts';
import { line, short, table } from '../format.ts';
import { answer, type AsJson } from '../output.ts';
import type { Project } from '../../project/project.ts';
import type { Worktree } from '../../git/worktrees.ts';

type Action = 'list' | 'merge' | 'remove';

interface WorktreeOptions extends AsJson {
  readonly role?: string;
  readonly rules?: boolean;
}

/** Lists worktrees of threads and roles, or merges or removes one. Loses nothing that git knows. */
export async function worktree(
  context: Context,
  action: Action,
  word: string | null,
  { role, rules = false, ...options }: WorktreeOptions,
): Promise<number> {
  const { terminal } = context;
  const project = context.project();
  const state = project.journal.state();
  const all = await project.worktrees.list();
  if (action === 'list') {
    if (word !== null) throw new MailroomError('E_USAGE', '`worktree list` takes no thread');
    const documents = all.map((one) => documentOf(one, state));
    return answer(terminal, options, documents, () => listing(all, state));
  }
  context.outsideTurn(`worktree ${action}`);
  context.announce();
  const found = await named(context, all, state, word, role);
  refuseWhileRunning(project, state, found);
  if (await context.place().workflows.find(found.thread)?.alive())
    throw new MailroomError(
      'E_REFUSED',
      `a process works on the run ${short(found.thread)}`,
      `wait for it, or \`mailroom cancel ${short(found.thread)}\``,
    );
  const subject = line(state.threads.get(found.thread)?.subject ?? '') || `Thread ${found.thread}`;
  if (action === 'merge') await project.worktrees.merge(found, subject, { rules });
  else await project.worktrees.remove(found, subject);
  const did =
    action === 'merge'
      ? `merged ${found.branch}, and removed its checkout and branch`
      : `removed the checkout; its work is on the branch ${found.branch}`;
  return answer(terminal, options, { schema: 1, action, ...documentOf(found, state) }, () => [did]);
}

function documentOf(one: Worktree, state: MailState): object {
  const { thread, role, branch, path, uncommitted, unmerged } = one;
  const known = state.threads.get(thread);
  return {
    thread,
    role,
    subject: known?.subject ?? null,
    state: known?.state ?? null,
    branch,
    path,
    uncommitted,
    unmerged,
  };
}

function listing(all: readonly Worktree[], state: MailState): string[] {
  if (all.length === 0) return ['no thread has a worktree'];
  const rows = all.map(({ thread, role, path, uncommitted, unmerged }) => {
    const known = state.threads.get(thread);
    const work = [...amount(uncommitted, 'not committed'), ...amount(unmerged, 'not merged')];
    return [
      short(thread),
      role ?? '',
      known?.state ?? 'over',
      work.length === 0 ? 'nothing new' : work.join(', '),
      path ?? 'branch only',
      line(known?.subject ?? ''),
    ];
  });
  return table(['THREAD', 'ROLE', 'STATE', 'WORK', 'CHECKOUT', 'SUBJECT'], rows);
}

function amount(count: number | null, what: string): string[] {
  if (count === 0) return [];
  return [`${count === null ? 'perhaps some' : String(count)} ${what}`];
}

async function named(
  context: Context,
  all: readonly Worktree[],
  state: MailState,
  word: string | null,
  role: string | undefined,
): Promise<Worktree> {
  if (word === null)
    throw new MailroomError('E_USAGE', '<thread> is missing', '`mailroom worktree` lists them');
  const id = await idOf(context, word, ['thread']);
  const threads = [...new Set(all.map(({ thread }) => thread))].map((thread) => ({
    id: thread,
    about: `thread: ${state.threads.get(thread)?.subject ?? ''}`,
  }));
  const only = namedIn(id, { roles: [], turns: [], messages: [], threads }, ['thread']);
  const inThread = all.filter(({ thread }) => thread === only?.thread);
  const [found, ...others] = inThread.filter((one) => role === undefined || one.role === role);
  if (found !== undefined && others.length === 0) return found;
  if (inThread.length > 0) {
    const roles = listed(inThread.flatMap((one) => one.role ?? []));
    const problem =
      role === undefined ? 'several roles have a worktree there' : `${role} has no worktree there`;
    throw new MailroomError('E_TARGET', problem, `name one of them with \`--role\`: ${roles}`);
  }
  throw new MailroomError(
    'E_TARGET',
    `no thread \`${word}\` has a worktree`,
    '`mailroom worktree` lists them',
  );
}

/** A running turn would lose its workspace. */
function refuseWhileRunning(project: Project, state: MailState, { thread, role }: Worktree): void {
  if (project.holder() === null) return;
  const turn = [...state.turns.values()].find(
    (one) => one.thread === thread && (role === null || one.role === role) && one.phase.is !== 'pending',
  );
  if (!turn) return;
  const hint = `wait for it, or \`mailroom cancel ${turn.id}\``;
  throw new MailroomError('E_REFUSED', `${turn.id} of ${turn.role} works there`, hint);
}
