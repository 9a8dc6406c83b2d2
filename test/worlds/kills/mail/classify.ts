import type { FileTable, GitTable, MoveTable, Named, Operation } from '../operation.ts';
import { classifier, newCheckout } from '../tables.ts';
import type { EffectName } from './effects.ts';

const attempt = String.raw`^\.mailroom/turns/[^/]+/\d+`;
const box = (name: string): string => `^agents/[^/]+/${name}/`;
const filed = box('(processed|sent|failed)');

const files: FileTable<EffectName> = [
  ...newCheckout,
  ['sync', String.raw`^(\.|\.mailroom|\.mailroom/journal)$`, 'journal.names'],
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
  ['copy', String.raw`^\.mailroom/lock$`, 'holder.write'],
  ['remove', box('(inbox|outbox)'), 'projection.remove'],
  ['folder', String.raw`^\.mailroom/turns(/|$)`, 'turn.folder'],
  ['folder', '^tmp:home/', 'turn.folder'],
  // The settings of a CLI that are not there: a sandbox can hold only what it shows.
  ['begin', '^tmp:home/', 'turn.folder'],
  ['write', '^tmp:home/', 'turn.folder'],
  ['folder', '^agents(/|$)', 'mailbox.folder'],
  ['folder', String.raw`^\.mailroom(/[a-z]+)?$`, 'project.folder'],
  ['folder', '^tmp:mailroom-[^/]+/home/', 'home.make'],
  ['link', '^tmp:mailroom-[^/]+/home/', 'home.make'],
  ['begin', '^tmp:mailroom-[^/]+/home/', 'home.make'],
  ['write', '^tmp:mailroom-[^/]+/home/', 'home.make'],
  // Where LFS is installed.
  ['folder', String.raw`^\.git/lfs$`, 'project.folder'],
  ['copy', String.raw`^\.git/(worktrees/[^/]+/)?index\.mailroom$`, 'enter.index'],
  ['remove', String.raw`^\.git/worktrees/[^/]+/(index|HEAD)\.lock$`, 'anchor.lock'],
  ['begin', String.raw`^\.git/worktrees/[^/]+/mailroom\.git$`, 'anchor.write'],
  ['open', String.raw`^\.git/worktrees/[^/]+/mailroom\.git$`, 'anchor.write'],
  ['write', String.raw`^\.git/worktrees/[^/]+/mailroom\.git$`, 'anchor.write'],
  ['begin', String.raw`^\.git/index\.lock`, 'land.lock'],
  ['write', String.raw`^\.git/index\.lock`, 'land.lock'],
  ['link', String.raw`^\.git/index\.lock`, 'land.lock'],
  ['remove', String.raw`^\.git/index\.lock`, 'land.lock'],
  ['sync', String.raw`^\.git/objects/`, 'leave.sync'],
  // The controller's own ends of pipes that have no name any more.
  ['open', '^/proc/self/fd/', 'inward'],
];

const moves: MoveTable<EffectName> = [
  [String.raw`^\.git/mailroom-[^/]+$`, String.raw`^\.git/worktrees/[^/]+$`, 'worktree.make'],
  [String.raw`/index\.mailroom$`, String.raw`^\.git/(worktrees/[^/]+/)?index$`, 'enter.index'],
  [String.raw`/mailroom\.git$`, String.raw`^\.mailroom/worktrees/[^/]+/\.git$`, 'anchor.write'],
  [String.raw`^\.mailroom/tmp/`, box('outbox'), 'letter.send'],
  [box('(inbox|outbox)'), String.raw`^\.mailroom/accepting/`, 'accept.take'],
  [box('outbox'), `${attempt}/outbox/`, 'turn.borrow'],
  [String.raw`^agents/[^/]+/outbox$`, `${attempt}/outbox-of-`, 'turn.borrow'],
  [`${attempt}/(outbox|collected-\\d+)$`, `${attempt}/[^/]+-earlier`, 'turn.clear'],
  [box('inbox'), filed, 'projection.move'],
  [String.raw`^\.mailroom/accepting/`, filed, 'accept.keep'],
  [String.raw`^\.mailroom/(control|incoming)/`, String.raw`^\.mailroom/refused/`, 'control.refuse'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/refused/.*\.reason\.txt$`, 'reason.write'],
  [String.raw`^\.mailroom/tmp/`, `${filed}.*\\.reason\\.txt$`, 'reason.write'],
  [String.raw`^\.mailroom/tmp/`, box('(inbox|processed|sent|failed)'), 'projection.write'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/lock\.json$`, 'holder.write'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/schemas/`, 'schema.write'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/boot$`, 'boot.write'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/confirmed$`, 'confirmed.write'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/parked/`, 'parked.write'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/journal/summary$`, 'summary.write'],
  [String.raw`^\.mailroom/tmp/`, `${attempt}/messages/`, 'turn.message'],
  [String.raw`^\.mailroom/tmp/`, `${attempt}/collected-\\d+/`, 'turn.collect'],
  [String.raw`^\.mailroom/tmp/`, `${attempt}/[^/]*prompt[^/]*$`, 'turn.prompt'],
  [String.raw`^\.mailroom/tmp/`, `${attempt}/[^/]*(result|changes)[^/]*$`, 'turn.result'],
];

const gits: GitTable<EffectName> = [
  ['fast-import', 'trail.import'],
  ['update-ref --no-deref --create-reflog -m trail', 'trail.ref'],
  ['update-ref --no-deref --create-reflog -m leave', 'leave.commit'],
  ['update-ref --no-deref --create-reflog -m land', 'land.swap'],
  ['update-ref --no-deref --create-reflog -m visit', 'check.visit'],
  ['update-ref --no-deref --create-reflog -m conflict', 'conflict.note'],
  ['update-ref', 'enter.merge'],
  ['merge-tree', 'enter.merge'],
  ['symbolic-ref', 'enter.merge'],
  ['read-tree -m -u -n', 'inward'],
  ['read-tree -m -u', 'land.files'],
  ['read-tree', 'enter.files'],
  ['commit-tree', 'leave.commit'],
  ['repack', 'trail.pack'],
  ['worktree add', 'worktree.make'],
  ['worktree remove', 'worktree.forget'],
  ...['check-ref-format', 'rev-parse', 'for-each-ref', 'worktree list', 'rev-list', 'merge-base', 'show'].map(
    reads,
  ),
  ...['cat-file', 'count-objects', 'diff', 'diff-tree', 'diff-index', 'log', '--version'].map(reads),
];

function reads(words: string): readonly [string, 'inward'] {
  return [words, 'inward'];
}

const inCommon = classifier<EffectName>({
  home: String.raw`^\.mailroom`,
  files,
  moves,
  gits,
  marked: ({ mark, behindBarrier }) => (mark === null ? null : behindBarrier ? 'turn.spawn' : 'gate.spawn'),
  terminate: 'turn.terminate',
  kill: 'turn.kill',
});

/** Which effect an operation is; null: one that the tables do not have. */
export function classify(operation: Operation): Named<EffectName> | null {
  if (operation.kind === 'release') return 'turn.release';
  const isForgotten = operation.kind === 'spawn' && operation.forgotten;
  return inCommon(operation) ?? (isForgotten ? 'person.notify' : null);
}
