/** Something that the program asks of the system. Paths as `seenFrom` gives them. */
export type Operation =
  | {
      readonly kind:
        'begin' | 'open' | 'write' | 'sync' | 'cut' | 'folder' | 'remove' | 'copy' | 'link' | 'scratch';
      readonly path: string;
    }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | Spawn
  | { readonly kind: 'release' | 'unlock' }
  /** `starting`: no journal was opened yet, so it can only be the sweep. */
  | { readonly kind: 'signal'; readonly signal: string; readonly starting: boolean };

export interface Spawn {
  readonly kind: 'spawn';
  readonly argv: readonly string[];
  /** What the mark of the project's processes says that it carries; null: it carries none. */
  readonly mark: string | null;
  readonly gated: boolean;
  /** Nobody listens to it. */
  readonly forgotten: boolean;
}

/** What is done to one file or folder. */
export type FileKind = Exclude<Operation['kind'], 'rename' | 'spawn' | 'signal' | 'release' | 'unlock'>;

/** `inward`: changes nothing that outlives the program or that anybody else sees. */
export type Named<Name extends string> = Name | 'inward';

/** Which effect an operation is; null: one that the table does not have. */
export type Classify<Name extends string = string> = (operation: Operation) => Named<Name> | null;

/** What is done to which paths: the first pattern that fits. */
export type FileTable<Name extends string> = readonly (readonly [FileKind, string, Named<Name>])[];

/** What is moved from where to where: the first two patterns that fit. */
export type MoveTable<Name extends string> = readonly (readonly [from: string, to: string, Name])[];

const heldPlace = String.raw`^(?:\.mailroom/worktrees/[^/]+/)?(\.git|HEAD|agents|protocols|workflows|mailroom\.yaml|\.skillmeat-workflow-overrides\.yaml|\.claude|\.codex|\.gemini|\.opencode|\.mcp\.json)$`;

/** What is done to keep empty places, before the rest: some of them are folders that are also made for good. */
export const filesOfHeldPlaces = [
  ['folder', heldPlace, 'held.make'],
  ['remove', heldPlace, 'held.remove'],
  ['folder', String.raw`^\.mailroom/held$`, 'held.note'],
  ['begin', String.raw`^\.mailroom/held/`, 'held.note'],
  ['write', String.raw`^\.mailroom/held/`, 'held.note'],
  ['remove', String.raw`^\.mailroom/held/`, 'held.note'],
] as const;

export const movesOfHeldPlaces = [
  [String.raw`^\.mailroom/held/\.`, String.raw`^\.mailroom/held/`, 'held.note'],
] as const;

/** What git is asked for: the first words that fit. */
export type GitTable<Name extends string> = readonly (readonly [words: string, Named<Name>])[];

/** What the table says of a command line of git. */
export function askedOfGit<Name extends string>(
  argv: readonly string[],
  table: GitTable<Name>,
): Named<Name> | null {
  const words = argv
    .slice(1)
    .join(' ')
    .replace(/^(-c \S+ )+/, '');
  return table.find(([start]) => words === start || words.startsWith(`${start} `))?.[1] ?? null;
}

/** What the tables say of an operation on files. */
export function inTables<Name extends string>(
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

/** A path as the tables speak of it: from the project (`.` is itself), `tmp:…` below the temporary folder, else absolute. */
export function seenFrom(root: string, temporary: string, path: string): string {
  if (path === root) return '.';
  if (path.startsWith(`${root}/`)) return path.slice(root.length + 1);
  return path.startsWith(`${temporary}/`) ? `tmp:${path.slice(temporary.length + 1)}` : path;
}
