/** Something that the program asks of the system. Paths as `seenFrom` gives them. */
export type Operation =
  | {
      readonly kind:
        'begin' | 'open' | 'write' | 'sync' | 'cut' | 'folder' | 'remove' | 'copy' | 'link' | 'scratch';
      readonly path: string;
    }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | Spawn
  | { readonly kind: 'release' | 'unlock' | 'connect' | 'send' }
  /** `starting`: no journal was opened yet, so it can only be the sweep. */
  | { readonly kind: 'signal'; readonly signal: string; readonly starting: boolean };

export interface Spawn {
  readonly kind: 'spawn';
  readonly argv: readonly string[];
  /** What the mark of the project's processes says that it carries; null: it carries none. */
  readonly mark: string | null;
  readonly behindBarrier: boolean;
  /** Nobody listens to it. */
  readonly forgotten: boolean;
}

/** What is done to one file or folder. */
export type FileKind = Extract<Operation, { path: string; to?: never }>['kind'];

/** `inward`: changes nothing that outlives the program or that anybody else sees. */
export type Named<Name extends string> = Name | 'inward';

/** Which effect an operation is; null: one that the table does not have. */
export type Classify<Name extends string = string> = (operation: Operation) => Named<Name> | null;

/** What is done to which paths: the first pattern that fits. */
export type FileTable<Name extends string> = readonly (readonly [FileKind, string, Named<Name>])[];

/** What is moved from where to where: the first two patterns that fit. */
export type MoveTable<Name extends string> = readonly (readonly [from: string, to: string, Name])[];

/** What git is asked for: the first words that fit. */
export type GitTable<Name extends string> = readonly (readonly [words: string, Named<Name>])[];

/** A path as the tables speak of it: from the project (`.` is itself), `tmp:…` below the temporary folder, else absolute. */
export function seenFrom(root: string, temporary: string, path: string): string {
  if (path === root) return '.';
  if (path.startsWith(`${root}/`)) return path.slice(root.length + 1);
  return path.startsWith(`${temporary}/`) ? `tmp:${path.slice(temporary.length + 1)}` : path;
}
