import {
  askedOfGit,
  filesOfHeldPlaces,
  inTables,
  movesOfHeldPlaces,
  type FileTable,
  type GitTable,
  type MoveTable,
  type Named,
  type Operation,
  type Spawn,
} from '../killing/operation.ts';
import type { EffectName } from './effects.ts';

const journal = String.raw`^\.mailroom/journal/\d+\.`;
const attempt = String.raw`^\.mailroom/turns/[^/]+/\d+`;
const box = (name: string): string => `^agents/[^/]+/${name}/`;
const filed = box('(processed|sent|failed)');

const files: FileTable<EffectName> = [
  ...filesOfHeldPlaces,
  ['begin', `${journal}log$`, 'journal.begin'],
  ['open', `${journal}log$`, 'journal.open'],
  ['write', `${journal}log$`, 'journal.append'],
  ['sync', `${journal}log$`, 'journal.sync'],
  ['cut', `${journal}log$`, 'journal.cut'],
  ['remove', `${journal}log$`, 'journal.remove'],
  ['remove', `${journal}snapshot$`, 'snapshot.remove'],
  ['sync', String.raw`^(\.|\.mailroom|\.mailroom/journal)$`, 'journal.names'],
  ['sync', String.raw`^\.mailroom/blobs$`, 'blob.names'],
  ['begin', String.raw`^\.mailroom/tmp/`, 'draft.open'],
  ['write', String.raw`^\.mailroom/tmp/`, 'draft.write'],
  ['sync', String.raw`^\.mailroom/tmp/`, 'draft.sync'],
  ['begin', `${attempt}/\\.input-`, 'turn.input'],
  ['write', `${attempt}/\\.input-`, 'turn.input'],
  ['remove', `${attempt}/\\.input-`, 'turn.input'],
  ['begin', `${attempt}/[^/]*(stdout|stderr)[^/]*$`, 'turn.output'],
  ['open', `${attempt}/[^/]*(stdout|stderr)[^/]*$`, 'turn.output'],
  ['write', `${attempt}/[^/]*(stdout|stderr)[^/]*$`, 'turn.output'],
  ['begin', `${attempt}/[^/]+\\.(toml|json)$`, 'turn.file'],
  ['open', `${attempt}/[^/]+\\.(toml|json)$`, 'turn.file'],
  ['write', `${attempt}/[^/]+\\.(toml|json)$`, 'turn.file'],
  ['remove', `${attempt}/(outbox|collected-\\d+)$`, 'turn.clear'],
  ['remove', String.raw`^\.mailroom/accepting/`, 'accept.release'],
  ['remove', String.raw`^\.mailroom/control/`, 'control.take'],
  ['remove', String.raw`^\.mailroom/lock\.json$`, 'holder.remove'],
  ['remove', box('(inbox|outbox)'), 'projection.remove'],
  ['folder', String.raw`^\.mailroom/turns(/|$)`, 'turn.folder'],
  ['folder', '^tmp:home/', 'turn.folder'],
  // The settings of a CLI that are not there: a sandbox can hold only what it shows.
  ['begin', '^tmp:home/', 'turn.folder'],
  ['write', '^tmp:home/', 'turn.folder'],
  ['folder', '^agents(/|$)', 'mailbox.folder'],
  ['folder', String.raw`^\.mailroom(/[a-z]+)?$`, 'project.folder'],
  ['scratch', '^tmp:mailroom-pipes-', 'pipes.make'],
  ['remove', '^tmp:mailroom-pipes-', 'pipes.make'],
  ['scratch', '^tmp:mailroom-', 'scratch.make'],
  ['remove', '^tmp:mailroom-', 'scratch.remove'],
  ['folder', '^tmp:mailroom-[^/]+/refs$', 'tree.note'],
  ['copy', '^tmp:mailroom-[^/]+/index$', 'tree.note'],
  ['begin', '^tmp:mailroom-[^/]+/(config|HEAD|index)$', 'tree.note'],
  ['write', '^tmp:mailroom-[^/]+/(config|HEAD|index)$', 'tree.note'],
  ['link', '^tmp:mailroom-[^/]+/(info|lfs)$', 'tree.note'],
  ['folder', '^tmp:mailroom-[^/]+/home/', 'home.make'],
  ['link', '^tmp:mailroom-[^/]+/home/', 'home.make'],
  ['begin', '^tmp:mailroom-[^/]+/home/', 'home.make'],
  ['write', '^tmp:mailroom-[^/]+/home/', 'home.make'],
  // The controller's own ends of pipes that have no name any more.
  ['open', '^/proc/self/fd/', 'inward'],
];

const moves: MoveTable<EffectName> = [
  ...movesOfHeldPlaces,
  [box('(inbox|outbox)'), String.raw`^\.mailroom/accepting/`, 'accept.take'],
  [box('outbox'), `${attempt}/outbox/`, 'turn.borrow'],
  [box('inbox'), filed, 'projection.move'],
  [String.raw`^\.mailroom/accepting/`, filed, 'accept.keep'],
  [String.raw`^\.mailroom/(control|incoming)/`, String.raw`^\.mailroom/refused/`, 'control.refuse'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/refused/.*\.reason\.txt$`, 'reason.write'],
  [String.raw`^\.mailroom/tmp/`, `${filed}.*\\.reason\\.txt$`, 'reason.write'],
  [String.raw`^\.mailroom/tmp/`, box('(inbox|processed|sent|failed)'), 'projection.write'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/lock\.json$`, 'holder.write'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/boot$`, 'boot.write'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/confirmed$`, 'confirmed.write'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/parked/`, 'parked.write'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/blobs/`, 'blob.write'],
  [String.raw`^\.mailroom/tmp/`, `${journal}snapshot$`, 'snapshot.write'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/journal/summary$`, 'summary.write'],
  [String.raw`^\.mailroom/tmp/`, `${attempt}/messages/`, 'turn.message'],
  [String.raw`^\.mailroom/tmp/`, `${attempt}/collected-\\d+/`, 'turn.collect'],
  [String.raw`^\.mailroom/tmp/`, `${attempt}/[^/]*prompt[^/]*$`, 'turn.prompt'],
  [String.raw`^\.mailroom/tmp/`, `${attempt}/[^/]*result[^/]*$`, 'turn.result'],
];

const gits: GitTable<EffectName> = [
  ['fast-import', 'trail.import'],
  ['update-ref', 'trail.ref'],
  ['repack', 'trail.pack'],
  ['worktree add', 'worktree.make'],
  ['worktree remove', 'worktree.forget'],
  ['add --all', 'tree.note'],
  ['write-tree', 'tree.note'],
  ...['check-ref-format', 'rev-parse', 'for-each-ref', 'worktree list', 'rev-list'].map(reads),
  ...['count-objects', 'diff-tree', 'ls-files', 'config', '--version'].map(reads),
];

function reads(words: string): readonly [string, 'inward'] {
  return [words, 'inward'];
}

/** Which effect an operation is; null: one that the table does not have. */
export function classify(operation: Operation): Named<EffectName> | null {
  switch (operation.kind) {
    case 'spawn':
      return spawned(operation);
    case 'release':
      return 'turn.release';
    case 'unlock':
      return 'lock.release';
    case 'signal':
      return signalled(operation.signal, operation.starting);
    default:
      return inTables(operation, files, moves);
  }
}

function spawned({ argv, mark, gated, forgotten }: Spawn): Named<EffectName> | null {
  if (mark !== null) return gated ? 'turn.spawn' : 'gate.spawn';
  if (argv[0] === 'flock') return 'lock.take';
  if (argv[0] === 'mkfifo') return 'pipes.make';
  if (argv[0] === 'git') return askedOfGit(argv, gits);
  if (argv.at(-1) === '/proc/self/stat') return 'containment.probe';
  return forgotten ? 'person.notify' : null;
}

function signalled(signal: string, starting: boolean): EffectName | null {
  if (signal === 'SIGTERM') return starting ? 'sweep.terminate' : 'turn.terminate';
  if (signal === 'SIGKILL') return starting ? 'sweep.kill' : 'turn.kill';
  return null;
}
