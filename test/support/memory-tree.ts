import { diskError, parentOf, pathError } from '../../src/disk/disk.ts';
import type { Kind } from '../../src/disk/disk.ts';

/**
 * A node belongs to the tree whose token it bears and is changed by that tree only. A copied tree shares every node with
 * its original; both have new tokens then, and whoever changes a node first copies that one node.
 */
type Token = object;

export interface FileNode {
  readonly kind: 'file';
  readonly token: Token;
  chunks: Buffer[];
  size: number;
  /** How many bytes from the start would outlive a power cut. */
  synced: number;
  mtimeMs: number;
  readonly executable: boolean;
}

export interface FolderNode {
  readonly kind: 'folder';
  readonly token: Token;
  readonly children: Map<string, MemoryNode>;
  mtimeMs: number;
}

/** `target` is where a link leads, as it was written. */
export interface OtherNode {
  readonly kind: Exclude<Kind, 'file' | 'folder'>;
  readonly target: string;
  readonly mtimeMs: number;
}

export type MemoryNode = FileNode | FolderNode | OtherNode;

/** Files, folders and links in memory, without hooks or faults. Paths are as in `Disk`, and were checked. */
export class MemoryTree {
  readonly #root: string;
  #token: Token = {};
  #top: FolderNode;
  /** Where no link was ever made, paths need no following. */
  #links = false;

  /** `root` is what absolute links inside the project begin with. */
  constructor(root: string) {
    this.#root = root;
    this.#top = { kind: 'folder', token: this.#token, children: new Map(), mtimeMs: 0 };
  }

  /** A tree with the same content; costs nothing until one of the two is changed. */
  clone(): MemoryTree {
    const copy = new MemoryTree(this.#root);
    this.#token = {};
    copy.#top = this.#top;
    copy.#links = this.#links;
    return copy;
  }

  /** What lies at a path that was followed; null: nothing. */
  find(path: string): MemoryNode | null {
    let node: MemoryNode = this.#top;
    for (let at = path === '' ? 1 : 0; at <= path.length;) {
      if (node.kind !== 'folder') throw failure('look at', path, 'ENOTDIR');
      const slash = path.indexOf('/', at);
      const end = slash < 0 ? path.length : slash;
      const child = node.children.get(path.slice(at, end));
      if (child === undefined) return null;
      node = child;
      at = end + 1;
    }
    return node;
  }

  /** The file there, to be changed; null where there is none. */
  file(path: string): FileNode | null {
    const node = this.find(path);
    if (node?.kind !== 'file' || node.token === this.#token) return node?.kind === 'file' ? node : null;
    const mine = { ...node, token: this.#token, chunks: [...node.chunks] };
    this.folder(parentOf(path)).children.set(nameOf(path), mine);
    return mine;
  }

  /** The folder there, to be changed; made where it is missing. */
  folder(path: string, mtimeMs = 0): FolderNode {
    let folder = (this.#top = this.#owned(this.#top));
    if (path === '') return folder;
    for (const name of path.split('/')) {
      const child = folder.children.get(name);
      if (child !== undefined && child.kind !== 'folder') throw failure('make the folder', path, 'ENOTDIR');
      const mine: FolderNode =
        child === undefined
          ? { kind: 'folder', token: this.#token, children: new Map(), mtimeMs }
          : this.#owned(child);
      if (mine !== child) folder.children.set(name, mine);
      folder = mine;
    }
    return folder;
  }

  put(path: string, node: MemoryNode): void {
    this.#links ||= node.kind === 'link';
    this.folder(parentOf(path), node.mtimeMs).children.set(nameOf(path), node);
  }

  delete(path: string): void {
    this.folder(parentOf(path)).children.delete(nameOf(path));
  }

  newFile(content: string | Uint8Array, mtimeMs: number, mode = 0o666): FileNode {
    const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
    const size = bytes.length;
    const executable = (mode & 0o100) !== 0;
    return { kind: 'file', token: this.#token, chunks: [bytes], size, synced: size, mtimeMs, executable };
  }

  /** The path with every link on the way followed, its last name excepted. */
  beside(path: string): string {
    if (!this.#links || path === '') return path;
    const folder = this.straight(parentOf(path));
    return folder === '' ? nameOf(path) : `${folder}/${nameOf(path)}`;
  }

  /** The path with every link followed. */
  straight(path: string): string {
    if (!this.#links || path === '') return path;
    let done: string[] = [];
    const rest = path.split('/');
    for (let hops = 0; rest.length > 0;) {
      const name = rest.shift() ?? '';
      const node = name === '..' ? null : this.find([...done, name].join('/'));
      if (name === '..' && done.pop() === undefined) throw pathError(path, leavesProject);
      if (name === '..') continue;
      if (node?.kind !== 'link') {
        done.push(name);
        continue;
      }
      if ((hops += 1) > 40) throw failure('follow', path, 'ELOOP');
      if (node.target.startsWith('/')) done = [];
      rest.unshift(...this.#names(path, node.target));
    }
    return done.join('/');
  }

  #names(path: string, target: string): string[] {
    const absolute = target.startsWith('/');
    if (absolute && !`${target}/`.startsWith(`${this.#root}/`)) throw pathError(path, leavesProject);
    const inside = absolute ? target.slice(this.#root.length) : target;
    return inside.split('/').filter((name) => name !== '' && name !== '.');
  }

  #owned(node: FolderNode): FolderNode {
    return node.token === this.#token
      ? node
      : { ...node, token: this.#token, children: new Map(node.children) };
  }
}

/** All bytes of a file. The chunks are joined on the way; whoever shares the node sees the same content. */
export function bytesOf(node: FileNode): Buffer {
  const [first = Buffer.alloc(0)] = node.chunks;
  if (node.chunks.length <= 1) return first;
  const whole = Buffer.concat(node.chunks);
  node.chunks = [whole];
  return whole;
}

export function cutTo(node: FileNode, size: number): void {
  node.chunks = [Buffer.concat([bytesOf(node)], size)];
  node.size = size;
  node.synced = Math.min(node.synced, size);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const words: Readonly<Record<string, string>> = {
  ENOTDIR: 'not a directory',
  EISDIR: 'illegal operation on a directory',
  ENOTEMPTY: 'directory not empty',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ELOOP: 'too many symbolic links encountered',
  EBADF: 'bad file descriptor',
};

/** `E_DISK` as the real disk would throw it; `why` is a code of the system or words of ours. */
export function failure(action: string, path: string, why: string): Error {
  const text = words[why];
  const cause = new Error(text === undefined ? why : `${why}: ${text}`);
  return diskError(action, path, text === undefined ? cause : Object.assign(cause, { code: why }));
}

const leavesProject = 'a link on the way leads out of the project';
