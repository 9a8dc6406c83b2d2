import { dirname, join, relative } from 'node:path';
import { movedPath, movedText, type Moved } from '../places.ts';
import type { AgentJob, RemoteProgram } from '../../../host/runner/runner.ts';
import type { Ended } from '../../../host/runner/agents.ts';
import type { Assigned } from '../../../kernel/launched.ts';
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
export function folderOf({ thread, turn }: RemoteTurn): string {
  return `${thread}-${turn}`;
}

/** Makes the folders of a turn. Its texts name places of the controller, which are others here. */
export function jobHere(turn: RemoteTurn, here: Here): JobHere {
  const { folders } = here;
  const { attempt, round } = turn;
  const id = folderOf(turn);
  const carried = turn.carries?.paths ?? [];
  const others = join(dirname(folders.outboxOf(id, attempt)), 'files');
  const moved = movedPlaces(turn, here, others);
  const translate = (text: string) => movedText(text, moved);
  const messages = turn.messages.map(({ name, text }) => ({ name, text: translate(text) }));
  const paths = folders.open(id, attempt, round, () => translate(turn.prompt), messages, false);
  const at = (path: string) => movedPath(path, moved) ?? join(others, relative('/', path));
  const [carries, brings, values] = [carried.map(at), turn.brings.map(at), turn.values.map(at)];
  const inside = brings
    .map((path) => relative(others, dirname(path)))
    .filter((path) => !path.startsWith('..'));
  if (carries.length + brings.length > 0) folders.others(id, attempt, inside);
  return { job: jobOf(turn, here, { paths, translate, brings }), carries, brings, values };
}

function movedPlaces(turn: RemoteTurn, { root, workspace, folders }: Here, others: string): Moved[] {
  const { attempt, places, outbox, base } = turn;
  const here = folders.outboxOf(folderOf(turn), attempt);
  return [
    // The later one counts where both are the same folder.
    { from: places.project, to: root },
    ...(base === null ? [] : [{ from: base, to: others }]),
    { from: places.folder, to: dirname(here) },
    { from: outbox, to: here },
    { from: places.workspace, to: workspace },
  ];
}

interface Made {
  readonly paths: TurnPaths;
  readonly translate: (text: string) => string;
  readonly brings: readonly string[];
}

function jobOf(turn: RemoteTurn, here: Here, { paths, translate, brings }: Made): AgentJob {
  const { workspace, root: project, tools, secrets } = here;
  const { role, thread, attempt, round, capabilities, network, model, mayConfigure, budget, mcp } = turn;
  const { maxSteps, maxCommandTime, variant } = turn;
  const given = { role, thread, turn: turn.turn, attempt, round, capabilities, network, model, mayConfigure };
  const env = Object.entries(turn.env).map(([name, value]) => [name, translate(value)] as const);
  return {
    key: here.key,
    provider: turn.provider ?? '',
    ...(turn.program && { program: programHere(turn.program, translate) }),
    invocation: {
      ...given,
      maxSteps,
      maxCommandTime,
      variant,
      owed: brings,
      session: null,
      prompt: translate(turn.prompt),
      budget,
      paths,
      workspace,
      project,
      env: { ...Object.fromEntries(env), ...secrets },
      tools: turn.tools ? tools : null,
      // A conversation does not travel, and without it no person can be asked.
      asking: null,
      mcp: mcp === null ? null : { own: mcp, servers: {} },
    },
    totalMs: turn.totalMs,
    idleMs: turn.idleMs,
    graceMs: turn.graceMs,
    inherit: turn.inherit,
    noteTree: false,
    worktree: null,
    watched: turn.watched.map((folder) => (folder === 'workspace' ? workspace : project)),
  };
}

function programHere(
  { argv, stdin, files, capabilities }: NonNullable<RemoteTurn['program']>,
  translate: (text: string) => string,
): RemoteProgram {
  const texts = Object.entries(files).map(([name, text]) => [name, translate(text)] as const);
  return { argv: argv.map(translate), stdin, files: Object.fromEntries(texts), capabilities };
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
