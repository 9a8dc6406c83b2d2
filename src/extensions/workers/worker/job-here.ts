import { dirname, join, relative } from 'node:path';
import { movedPath, movedText, type Moved } from '../places.ts';
import type { AgentJob } from '../../../host/runner/runner.ts';
import type { Ended } from '../../../host/runner/agents.ts';
import type { Assigned } from '../../../kernel/launched.ts';
import { roleCheckout } from '../../../kernel/work.ts';
import type { RemoteEnd, RemoteTurn } from '../letters/remote-turn.ts';
import type { TurnFolders } from '../../../mail/mailboxes/turn-folders.ts';
import type { Mask } from '../../../kernel/mask.ts';
import type { StagedFile, TurnPaths, TurnTools } from '../../../providers/provider.ts';

/** Where a worker runs a turn. */
interface Here {
  readonly key: string;
  /** The project's folder on this host, and its checkout of the turn; absolute. */
  readonly root: string;
  readonly workspace: string;
  readonly folders: TurnFolders;
  /** Null: agents get no tools of Mailroom. */
  readonly tools: TurnTools | null;
  /** The values of the turn's secrets, by name. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** A turn as this host runs it, and where its files lie here, in the order of the turn's lists. */
export interface JobHere {
  readonly job: AgentJob;
  readonly carries: readonly string[];
  readonly brings: readonly string[];
  readonly values: readonly string[];
}

/** The name of a turn's folder here: controllers that share this worker count their own turns. */
export function folderOf({ job: { invocation } }: RemoteTurn): string {
  return `${invocation.thread}-${invocation.turn}`;
}

/** The checkout of a turn here; absolute. */
export function checkoutOf({ role, job: { invocation } }: RemoteTurn, root: string): string {
  return join(root, '.mailroom', 'worktrees', roleCheckout(invocation.thread, role));
}

/** Makes the folders of a turn. Its texts name places of the controller, which are others here. */
export function jobHere(turn: RemoteTurn, here: Here): JobHere {
  const { folders } = here;
  const { attempt, round, prompt } = turn.job.invocation;
  const id = folderOf(turn);
  const others = join(dirname(folders.outboxOf(id, attempt)), 'files');
  const moved = movedPlaces(turn, here, others);
  const translate = (text: string) => movedText(text, moved);
  const messages = turn.messages.map(({ name, text }) => ({ name, text: translate(text) }));
  const paths = folders.open(
    { turn: id, attempt, round },
    { prompt: translate(prompt), messages, keepStaging: false },
  );
  const at = (path: string) => movedPath(path, moved) ?? join(others, relative('/', path));
  const carries = turn.carried === null ? [] : (turn.files?.carries.map(at) ?? []);
  const brings = turn.files?.brings.map(at) ?? [];
  const inside = brings
    .map((path) => relative(others, dirname(path)))
    .filter((path) => !path.startsWith('..'));
  if (carries.length + brings.length > 0) folders.others(id, attempt, inside);
  const job = jobOf(turn, here, { paths, translate, brings });
  return { job, carries, brings, values: turn.files?.values.map(at) ?? [] };
}

function movedPlaces(turn: RemoteTurn, { root, workspace, folders }: Here, others: string): Moved[] {
  const { invocation } = turn.job;
  const { attempt, paths } = invocation;
  const base = turn.files?.base ?? null;
  const here = folders.outboxOf(folderOf(turn), attempt);
  return [
    // The later one counts where both are the same folder.
    { from: invocation.project, to: root },
    ...(base === null ? [] : [{ from: base, to: others }]),
    { from: paths.folder, to: dirname(here) },
    { from: paths.outbox, to: here },
    { from: invocation.workspace, to: workspace },
  ];
}

interface Made {
  readonly paths: TurnPaths;
  readonly translate: (text: string) => string;
  readonly brings: readonly string[];
}

function jobOf({ role, job }: RemoteTurn, here: Here, { paths, translate, brings }: Made): AgentJob {
  const { key, workspace, root: project, tools, secrets } = here;
  const { invocation, program, watched } = job;
  const { env, mcp } = invocation;
  return {
    ...job,
    key,
    ...(program && {
      program: {
        ...program,
        argv: program.argv.map(translate),
        files: translated(program.files, translate),
      },
    }),
    invocation: {
      ...invocation,
      role,
      owed: brings,
      session: null,
      prompt: translate(invocation.prompt),
      paths,
      workspace,
      project,
      env: { ...translated(env, translate), ...secrets },
      tools: invocation.tools ? tools : null,
      // A conversation does not travel, and without it no person can be asked.
      asking: null,
      mcp: mcp && { ...mcp, servers: {} },
    },
    noteTree: false,
    worktree: null,
    watched: watched.map((folder) => (folder === invocation.workspace ? workspace : project)),
  };
}

function translated(
  texts: Readonly<Record<string, string>>,
  translate: (text: string) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, translate(text)]));
}

/** How much of an agent's output travels, from its end, in characters. */
const tail = 64_000;

/** How a turn ended here, as its worker reports it. */
export function reportOf(
  { root, worker }: { readonly root: string; readonly worker: Assigned },
  [outcome, exit, changed]: Ended,
  { staged, work }: Pick<RemoteEnd, 'staged' | 'work'>,
): RemoteEnd {
  const { code, signal, ended, error, durationMs } = exit;
  return {
    worker,
    outcome:
      outcome.is === 'done'
        ? { ...outcome, denials: [...outcome.denials], warnings: [...(outcome.warnings ?? [])] }
        : outcome,
    exit: {
      code,
      signal,
      ended,
      error,
      durationMs,
      stdout: exit.stdout.slice(-tail),
      stderr: exit.stderr.slice(-tail),
    },
    staged,
    changed: [...changed].map(([folder, changes]) => ({
      folder: folder === root ? 'project' : 'workspace',
      changes:
        typeof changes === 'string'
          ? changes
          : { paths: [...changes.paths], untracked: [...changes.untracked] },
    })),
    work,
    files: null,
  };
}

/** A message has common words, which are not masked in it. */
export function maskedFile({ name, content }: StagedFile, mask: Mask): StagedFile {
  return { name, content: content.ok ? { ok: true, text: mask.name(content.text) } : content };
}

export const unconfirmed =
  'was not begun: its controller has not confirmed it, because it is away, or does not want it';

export const lost = 'was taken from this worker, which was silent for too long: nothing of it was reported';
