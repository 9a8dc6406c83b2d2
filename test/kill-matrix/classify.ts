import type { EffectName } from './effects.ts';

/** Something that the controller asks of the system. Paths as `seenFrom` gives them. */
export type Operation =
  | {
      readonly kind: 'begin' | 'open' | 'write' | 'sync' | 'cut' | 'folder' | 'remove' | 'copy' | 'scratch';
      readonly path: string;
    }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | {
      readonly kind: 'spawn';
      readonly argv: readonly string[];
      /** Carries the mark of the project's processes. */
      readonly marked: boolean;
      readonly gated: boolean;
      /** Nobody listens to it. */
      readonly forgotten: boolean;
    }
  | { readonly kind: 'release' | 'unlock' }
  /** `starting`: the journal was not opened yet, so it can only be the sweep. */
  | { readonly kind: 'signal'; readonly signal: string; readonly starting: boolean };

/** A path as the table speaks of it: from the project (`.` is itself), `tmp:…` below the temporary folder, else absolute. */
export function seenFrom(root: string, temporary: string, path: string): string {
  if (path === root) return '.';
  if (path.startsWith(`${root}/`)) return path.slice(root.length + 1);
  return path.startsWith(`${temporary}/`) ? `tmp:${path.slice(temporary.length + 1)}` : path;
}

const journal = String.raw`^\.mailroom/journal/\d+\.`;
const attempt = String.raw`^\.mailroom/turns/[^/]+/\d+`;
const box = (name: string): string => `^agents/[^/]+/${name}/`;
const filed = box('(processed|sent|failed)');

type FileKind = Exclude<Operation['kind'], 'rename' | 'spawn' | 'signal' | 'release' | 'unlock'>;

/** `inward`: changes nothing that outlives the controller or that anybody else sees. */
const files: readonly (readonly [FileKind, string, EffectName | 'inward'])[] = [
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
  ['remove', box('(inbox|outbox)'), 'picture.remove'],
  ['folder', String.raw`^\.mailroom/turns(/|$)`, 'turn.folder'],
  ['folder', '^agents(/|$)', 'mailbox.folder'],
  ['folder', String.raw`^\.mailroom(/[a-z]+)?$`, 'project.folder'],
  ['scratch', '^tmp:mailroom-pipes-', 'pipes.make'],
  ['remove', '^tmp:mailroom-pipes-', 'pipes.make'],
  ['scratch', '^tmp:mailroom-', 'scratch.make'],
  ['remove', '^tmp:mailroom-', 'scratch.remove'],
  ['copy', '^tmp:mailroom-index-', 'tree.note'],
  // The controller's own ends of pipes that have no name any more.
  ['open', '^/proc/self/fd/', 'inward'],
];

const renames: readonly (readonly [string, string, EffectName])[] = [
  [box('(inbox|outbox)'), String.raw`^\.mailroom/accepting/`, 'accept.take'],
  [box('outbox'), `${attempt}/outbox/`, 'turn.borrow'],
  [box('inbox'), filed, 'picture.move'],
  [String.raw`^\.mailroom/accepting/`, filed, 'accept.keep'],
  [String.raw`^\.mailroom/tmp/`, `${filed}.*\\.reason\\.txt$`, 'reason.write'],
  [String.raw`^\.mailroom/tmp/`, box('(inbox|processed|sent|failed)'), 'picture.write'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/lock\.json$`, 'holder.write'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/boot$`, 'boot.write'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/parked/`, 'parked.write'],
  [String.raw`^\.mailroom/tmp/`, String.raw`^\.mailroom/blobs/`, 'blob.write'],
  [String.raw`^\.mailroom/tmp/`, `${journal}snapshot$`, 'snapshot.write'],
  [String.raw`^\.mailroom/tmp/`, `${attempt}/messages/`, 'turn.message'],
  [String.raw`^\.mailroom/tmp/`, `${attempt}/collected-\\d+/`, 'turn.collect'],
  [String.raw`^\.mailroom/tmp/`, `${attempt}/[^/]*prompt[^/]*$`, 'turn.prompt'],
  [String.raw`^\.mailroom/tmp/`, `${attempt}/[^/]*result[^/]*$`, 'turn.result'],
];

/** What git is asked for, by the first words that fit. */
const gits: readonly (readonly [string, EffectName | 'inward'])[] = [
  ['fast-import', 'trail.import'],
  ['update-ref', 'trail.ref'],
  ['repack', 'trail.pack'],
  ['worktree add', 'worktree.make'],
  ['worktree prune', 'worktree.prune'],
  ['add -A', 'tree.note'],
  ['write-tree', 'tree.note'],
  ...['check-ref-format', 'rev-parse', 'for-each-ref', 'worktree list', 'rev-list'].map(reads),
  ...['count-objects', 'diff-tree', '--version'].map(reads),
];

function reads(words: string): readonly [string, 'inward'] {
  return [words, 'inward'];
}

/** Which effect an operation is; null: one that the table does not have. */
export function classify(operation: Operation): EffectName | 'inward' | null {
  switch (operation.kind) {
    case 'rename':
      return (
        renames.find(
          ([from, to]) => new RegExp(from).test(operation.path) && new RegExp(to).test(operation.to),
        )?.[2] ?? null
      );
    case 'spawn':
      return spawned(operation);
    case 'release':
      return 'turn.release';
    case 'unlock':
      return 'lock.release';
    case 'signal':
      return signalled(operation.signal, operation.starting);
    default:
      return (
        files.find(([kind, path]) => kind === operation.kind && new RegExp(path).test(operation.path))?.[2] ??
        null
      );
  }
}

function spawned({
  argv,
  marked,
  gated,
  forgotten,
}: Operation & { kind: 'spawn' }): EffectName | 'inward' | null {
  if (marked) return gated ? 'turn.spawn' : 'gate.spawn';
  if (argv[0] === 'flock') return 'lock.take';
  if (argv[0] === 'mkfifo') return 'pipes.make';
  if (argv[0] === 'git') {
    const words = argv
      .slice(1)
      .join(' ')
      .replace(/^(-c \S+ )+/, '');
    return gits.find(([start]) => words === start || words.startsWith(`${start} `))?.[1] ?? null;
  }
  if (argv.at(-1) === '/proc/self/stat') return 'containment.probe';
  return forgotten ? 'person.notify' : null;
}

function signalled(signal: string, starting: boolean): EffectName | null {
  if (signal === 'SIGTERM') return starting ? 'sweep.terminate' : 'turn.terminate';
  if (signal === 'SIGKILL') return starting ? 'sweep.kill' : 'turn.kill';
  return null;
}
