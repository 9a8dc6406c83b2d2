import type { CommonEffect } from './effects.ts';
import type { Classify, FileTable, GitTable, MoveTable, Named, Operation, Spawn } from './operation.ts';

/** The places of a subject, beside those that both have. The first row that fits counts. */
export interface Tables<Name extends string> {
  /** The folders that its journals lie in, as a pattern. */
  readonly home: string;
  readonly files: FileTable<Name>;
  readonly moves: MoveTable<Name>;
  readonly gits: GitTable<Name>;
  /** What a process is that bears its mark; null: it bears none. */
  readonly marked: (spawn: Spawn) => Name | null;
  readonly terminate: Name;
  readonly kill: Name;
}

const heldPlace = String.raw`^(?:\.mailroom/worktrees/[^/]+/)?(\.git|HEAD|agents|protocols|workflows|mailroom\.yaml|agents\.yaml|\.skillmeat-workflow-overrides\.yaml|\.claude|\.codex|\.gemini|\.opencode|\.pi|\.mcp\.json)$`;

/** The same in the folder of a repository, and what an agent that commits there needs. */
const heldInGit = String.raw`^\.git/(?:worktrees/[^/]+/)?(branches|commondir|config\.worktree|info|logs/.+|logs|modules|packed-refs|refs/heads(?:/.+)?|remotes|shallow|worktrees|objects/(?:info|pack))$`;

/** Held places come before the rest: some of them are folders that are also made for good. */
const heldFiles: FileTable<CommonEffect> = [
  ['folder', heldPlace, 'held.make'],
  ['remove', heldPlace, 'held.remove'],
  ['folder', heldInGit, 'held.make'],
  ['begin', heldInGit, 'held.make'],
  ['write', heldInGit, 'held.make'],
  ['remove', heldInGit, 'held.remove'],
  // A sandbox hides the lock of the project, which must be there for that.
  ['begin', String.raw`^\.mailroom/lock$`, 'held.make'],
  ['open', String.raw`^\.mailroom/lock$`, 'held.make'],
  ['folder', String.raw`^\.mailroom/held$`, 'held.note'],
  ['begin', String.raw`^\.mailroom/held/`, 'held.note'],
  ['write', String.raw`^\.mailroom/held/`, 'held.note'],
  ['remove', String.raw`^\.mailroom/held/`, 'held.note'],
];

const heldMoves: MoveTable<CommonEffect> = [
  [String.raw`^\.mailroom/[a-z.-]+$`, String.raw`^\.mailroom/refused(-file$|/)`, 'other.refuse'],
  [String.raw`^\.mailroom/held/\.`, String.raw`^\.mailroom/held/`, 'held.note'],
];

/** The key of the seals lies in the folder of the API. */
const sealFiles: FileTable<CommonEffect> = [
  ['folder', String.raw`^\.mailroom/api$`, 'seal.key'],
  ['sync', String.raw`^\.mailroom/api$`, 'seal.key'],
  ...(['begin', 'open', 'write', 'sync'] as const).map(
    (act) => [act, String.raw`^\.mailroom/api/seal\.key$`, 'seal.key'] as const,
  ),
];

const ignoreMoves: MoveTable<CommonEffect> = [
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/\.gitignore$`, 'ignore.write'],
];

function journalFiles(home: string): FileTable<CommonEffect> {
  const segment = `${home}/journal/\\d+\\.log$`;
  return [
    ['remove', segment, 'journal.remove'],
    ['remove', `${home}/journal/\\d+\\.snapshot$`, 'snapshot.remove'],
    ['sync', `${home}/blobs$`, 'blob.names'],
    ['begin', segment, 'journal.begin'],
    ['open', segment, 'journal.open'],
    ['write', segment, 'journal.append'],
    ['sync', segment, 'journal.sync'],
    ['cut', segment, 'journal.cut'],
  ];
}

function journalMoves(home: string): MoveTable<CommonEffect> {
  const draft = String.raw`^\.mailroom/tmp/`;
  return [
    [draft, `${home}/journal/\\d+\\.snapshot$`, 'snapshot.write'],
    [draft, `${home}/blobs/`, 'blob.write'],
  ];
}

const scratchFiles: FileTable<CommonEffect> = [
  ['scratch', '^tmp:mailroom-pipes-', 'pipes.make'],
  ['remove', '^tmp:mailroom-pipes-', 'pipes.make'],
  // The order in which git prints changes.
  ['begin', '^tmp:mailroom-[^/]+/order$', 'scratch.make'],
  ['write', '^tmp:mailroom-[^/]+/order$', 'scratch.make'],
  ['begin', '^tmp:mailroom-[^/]+/probe$', 'scratch.make'],
  ['write', '^tmp:mailroom-[^/]+/probe$', 'scratch.make'],
  ['scratch', '^tmp:mailroom-', 'scratch.make'],
  ['remove', '^tmp:mailroom-', 'scratch.remove'],
  ['folder', '^tmp:mailroom-[^/]+/refs$', 'tree.note'],
  ['copy', '^tmp:mailroom-[^/]+/index$', 'tree.note'],
  ['begin', '^tmp:mailroom-[^/]+/(config|HEAD|index)$', 'tree.note'],
  ['write', '^tmp:mailroom-[^/]+/(config|HEAD|index)$', 'tree.note'],
  ['link', '^tmp:mailroom-[^/]+/(info|lfs)$', 'tree.note'],
];

const treeGits: GitTable<CommonEffect> = [
  ['add', 'tree.note'],
  ['update-index', 'tree.note'],
  ['write-tree', 'tree.note'],
  ['ls-files', 'inward'],
  ['config', 'inward'],
];

/** Names what a subject does; null: the tables do not have it. */
export function classifier<Name extends string>(tables: Tables<Name>): Classify<Name | CommonEffect> {
  type Any = Name | CommonEffect;
  const files: FileTable<Any> = [
    ...heldFiles,
    ...sealFiles,
    ...journalFiles(tables.home),
    ...tables.files,
    ...scratchFiles,
  ];
  const moves: MoveTable<Any> = [...heldMoves, ...ignoreMoves, ...journalMoves(tables.home), ...tables.moves];
  const gits: GitTable<Any> = [...tables.gits, ...treeGits];
  return (operation) => {
    switch (operation.kind) {
      case 'spawn':
        return tables.marked(operation) ?? unmarked(operation, gits);
      case 'unlock':
        return 'lock.release';
      case 'signal':
        return signalled(operation, tables);
      default:
        return inTables(operation, files, moves);
    }
  };
}

function unmarked<Name extends string>(
  { argv }: Spawn,
  gits: GitTable<Name | CommonEffect>,
): Named<Name | CommonEffect> | null {
  if (argv[0] === 'flock') return 'lock.take';
  if (argv[0] === 'mkfifo') return 'pipes.make';
  if (argv[0] === 'git') return askedOfGit(argv, gits);
  return argv.at(-1) === '/proc/self/stat' ? 'containment.probe' : null;
}

function signalled<Name extends string>(
  { signal, starting }: Extract<Operation, { kind: 'signal' }>,
  { terminate, kill }: Tables<Name>,
): Name | CommonEffect | null {
  if (signal === 'SIGTERM') return starting ? 'sweep.terminate' : terminate;
  if (signal === 'SIGKILL') return starting ? 'sweep.kill' : kill;
  return null;
}

/** What the table says of a command line of git. */
function askedOfGit<Name extends string>(argv: readonly string[], table: GitTable<Name>): Named<Name> | null {
  const words = argv
    .slice(1)
    .join(' ')
    .replace(/^(-c \S+ )+/, '');
  return table.find(([start]) => words === start || words.startsWith(`${start} `))?.[1] ?? null;
}

/** What the tables say of an operation on files. */
function inTables<Name extends string>(
  operation: Operation,
  files: FileTable<Name>,
  moves: MoveTable<Name>,
): Named<Name> | null {
  if (operation.kind === 'rename') {
    const { path, to: target } = operation;
    return (
      moves.find(([from, to]) => new RegExp(from).test(path) && new RegExp(to).test(target))?.[2] ?? null
    );
  }
  if (!('path' in operation)) return null;
  const { kind, path } = operation;
  return files.find(([each, pattern]) => each === kind && new RegExp(pattern).test(path))?.[2] ?? null;
}

/** What a checkout takes that is made without git. */
export const newCheckout: FileTable<'worktree.make'> = [
  ['remove', String.raw`^\.git/mailroom-[^/]+$`, 'worktree.make'],
  ['folder', String.raw`^\.git/(mailroom-[^/]+|worktrees)$`, 'worktree.make'],
  ['begin', String.raw`^\.git/mailroom-[^/]+/`, 'worktree.make'],
  ['open', String.raw`^\.git/mailroom-[^/]+/`, 'worktree.make'],
  ['write', String.raw`^\.git/mailroom-[^/]+/`, 'worktree.make'],
  ['folder', String.raw`^\.mailroom/worktrees/`, 'worktree.make'],
  ['remove', String.raw`^\.git/worktrees/[^/]+$`, 'worktree.make'],
  ['begin', String.raw`^\.mailroom/worktrees/[^/]+/\.git$`, 'worktree.make'],
  ['open', String.raw`^\.mailroom/worktrees/[^/]+/\.git$`, 'worktree.make'],
  ['write', String.raw`^\.mailroom/worktrees/[^/]+/\.git$`, 'worktree.make'],
];
