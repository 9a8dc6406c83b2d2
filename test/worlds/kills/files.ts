import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Killer } from './killer.ts';
import { seenFrom } from './operation.ts';

const system = { ...fs };
const { O_CREAT, O_RDWR, O_TRUNC, O_WRONLY } = fs.constants;

/** Functions of node:fs that change something and that the program has no use for: a use of one must get a name first. */
const strangers = `
  appendFileSync chmodSync chownSync cpSync fchmodSync fchownSync futimesSync lchownSync lutimesSync
  truncateSync writevSync appendFile chmod chown copyFile cp createWriteStream ftruncate link mkdir
  mkdtemp rename rm rmdir symlink truncate unlink utimes write writeFile`
  .trim()
  .split(/\s+/);
const strangePromises = `
  appendFile chmod chown copyFile cp link mkdir mkdtemp rename rm rmdir symlink truncate unlink utimes writeFile`
  .trim()
  .split(/\s+/);

/** Puts the killer between the program and node:fs. */
export function watchFiles(killer: Killer): void {
  const { root, temporary, leftOut } = killer.order;
  const see = (path: fs.PathLike): string => seenFrom(root, temporary, String(path));
  const open = new Map<number, string>();
  const pathOf = (file: number): string => open.get(file) ?? killer.refuse(`the descriptor ${String(file)}`);

  const replaced: Partial<typeof fs> = {
    openSync(path, flags = 'r', mode) {
      const act = (): number => system.openSync(path, flags, mode);
      const isNew = changes(flags) && !system.existsSync(path);
      const operation = { kind: isNew ? 'begin' : 'open', path: see(path) } as const;
      const file = changes(flags) ? killer.perform(operation, act) : act();
      open.set(file, open.get(descriptorOf(path)) ?? String(path));
      if (changes(flags) && isSegment(path)) killer.began();
      if (changes(flags)) killer.opened(String(path), file, isNew);
      return file;
    },
    closeSync(file) {
      open.delete(file);
      system.closeSync(file);
    },
    fsyncSync(file) {
      const path = pathOf(file);
      killer.perform({ kind: 'sync', path: see(path) }, () => {
        system.fsyncSync(file);
        killer.synced(path, system.fstatSync(file).size);
      });
      killer.named(path);
    },
    fdatasyncSync(file) {
      const path = pathOf(file);
      killer.perform({ kind: 'sync', path: see(path) }, () => {
        if (leftOut === (isSegment(path) ? 'sync' : 'copy sync')) return;
        system.fdatasyncSync(file);
        killer.synced(path, system.fstatSync(file).size);
      });
    },
    ftruncateSync(file, size) {
      killer.perform({ kind: 'cut', path: see(pathOf(file)) }, () => system.ftruncateSync(file, size));
    },
  };
  replaced.fdatasync = syncer(killer, pathOf, see, system.fdatasync) as typeof fs.fdatasync;
  replaced.fsync = syncer(killer, pathOf, see, system.fsync) as typeof fs.fsync;
  replaced.writeSync = writer(killer, (file) => see(pathOf(file)));
  replaced.writeFileSync = (path, text, options) => {
    const flag = typeof options === 'object' ? options?.flag : undefined;
    const file = fs.openSync(path as fs.PathLike, flag ?? 'w');
    if (text !== '') fs.writeSync(file, Buffer.from(text as string));
    fs.closeSync(file);
  };
  Object.assign(replaced, folderFunctions(killer, see), movingFunctions(killer, see));
  const plain = (path: unknown): unknown =>
    typeof path === 'string' ? path.replace(inOpenFolder, (own) => open.get(descriptorOf(own)) ?? own) : path;
  const byName = Object.entries(replaced as Record<string, (...args: unknown[]) => unknown>).map(
    ([name, act]) => [name, (...args: unknown[]) => act(...args.map(plain))] as const,
  );
  Object.assign(fs, Object.fromEntries(byName), killer.refusing('node:fs', fs, strangers));
  Object.assign(fs.promises, killer.refusing('node:fs/promises', fs.promises, strangePromises));
}

/** A sync beside the program's own work: it can die while the sync is under way. */
function syncer(
  killer: Killer,
  pathOf: (file: number) => string,
  see: (path: string) => string,
  sync: typeof fs.fsync,
) {
  const isLeftOut = killer.order.leftOut === 'sync';
  return (file: number, done: fs.NoParamCallback): void => {
    const path = pathOf(file);
    const { size } = system.fstatSync(file);
    let die = (): void => {};
    const ended: fs.NoParamCallback = (error) => {
      if (error === null && !isLeftOut) killer.synced(path, size);
      die();
      done(error);
    };
    const act = (): void => {
      if (isLeftOut) setImmediate(ended, null);
      else sync(file, ended);
    };
    killer.start({ kind: 'sync', path: see(path) }, act, (_act, then) => (die = then));
  };
}

function writer(killer: Killer, see: (file: number) => string): typeof fs.writeSync {
  return ((file: number, data: NodeJS.ArrayBufferView, ...rest: number[]) => {
    const act = (): number => system.writeSync(file, data, ...rest);
    // Standard output and standard error are a terminal's.
    if (file <= 2) return act();
    const begin = rest[0] ?? 0;
    const half = begin + Math.floor((data.byteLength - begin) / 2);
    const bytes = new Uint8Array(data.buffer, data.byteOffset, half);
    return killer.perform({ kind: 'write', path: see(file) }, act, () =>
      system.writeSync(file, bytes, begin),
    );
  }) as typeof fs.writeSync;
}

/** What moves, copies and removes. Segments of the journal are kept for the checks. */
function movingFunctions(killer: Killer, see: (path: fs.PathLike) => string): Partial<typeof fs> {
  const keep = (path: fs.PathLike): void => {
    if (isSegment(path)) system.copyFileSync(path, join(killer.order.kept, basename(String(path))));
  };

  return {
    copyFileSync(from, to, mode) {
      killer.perform({ kind: 'copy', path: see(to) }, () => system.copyFileSync(from, to, mode));
    },
    linkSync(target, path) {
      killer.perform({ kind: 'link', path: see(path) }, () => system.linkSync(target, path));
    },
    symlinkSync(target, path, type) {
      killer.perform({ kind: 'link', path: see(path) }, () => system.symlinkSync(target, path, type));
    },
    utimesSync(path, accessed, modified) {
      const act = (): void => system.utimesSync(path, accessed, modified);
      killer.perform({ kind: 'copy', path: see(path) }, act);
    },
    renameSync(from, to) {
      killer.perform({ kind: 'rename', path: see(from), to: see(to) }, () => {
        system.renameSync(from, to);
        killer.moved(String(from), String(to));
      });
    },
    rmdirSync(path) {
      killer.perform({ kind: 'remove', path: see(path) }, () => system.rmdirSync(path));
    },
    rmSync(path, options) {
      keep(path);
      killer.perform({ kind: 'remove', path: see(path) }, () => system.rmSync(path, options));
    },
    unlinkSync(path) {
      keep(path);
      killer.perform({ kind: 'remove', path: see(path) }, () => system.unlinkSync(path));
    },
  };
}

/** `mkdir`, which changes nothing where the folder is there, and `mkdtemp`. */
function folderFunctions(killer: Killer, see: (path: fs.PathLike) => string) {
  return {
    mkdirSync: (path: fs.PathLike, options?: fs.MakeDirectoryOptions) =>
      system.existsSync(path)
        ? system.mkdirSync(path, options)
        : killer.perform({ kind: 'folder', path: see(path) }, () => system.mkdirSync(path, options)),
    mkdtempSync: (prefix: string) =>
      killer.perform({ kind: 'scratch', path: see(prefix) }, () => system.mkdtempSync(prefix)),
  };
}

/** Without the sweep: nobody can be found until a journal is opened. */
export function hideProcesses(killer: Killer): void {
  const read = fs.readdirSync;
  fs.readdirSync = ((path: fs.PathLike, ...rest: unknown[]) => {
    if (path === '/proc' && killer.starting) throw Object.assign(new Error('hidden'), { code: 'ENOENT' });
    return (read as (...all: unknown[]) => unknown)(path, ...rest);
  }) as typeof fs.readdirSync;
}

/** Without memory: of each journal that lies below a folder only the first record is left. */
export function forgetRecords(root: string): void {
  for (const name of fs.readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const path = join(root, name);
    if (isSegment(path)) fs.truncateSync(path, fs.readFileSync(path).indexOf('\n') + 1);
  }
}

/** The program reaches a file by the descriptor of its folder: what it means is the file's own path. */
const inOpenFolder = /^\/proc\/self\/fd\/\d+(?=\/)/;

/** The descriptor that a path of `/proc` names; NaN: it names none. */
function descriptorOf(path: fs.PathLike): number {
  return Number(/^\/proc\/self\/fd\/(\d+)$/.exec(String(path))?.[1]);
}

function changes(flags: fs.OpenMode): boolean {
  if (typeof flags === 'string') return flags !== 'r' && flags !== 'rs';
  return (flags & (O_CREAT | O_RDWR | O_TRUNC | O_WRONLY)) !== 0;
}

function isSegment(path: fs.PathLike): boolean {
  const text = String(path);
  return text.endsWith('.log') && basename(dirname(text)) === 'journal';
}
