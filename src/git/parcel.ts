import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bytesInWords } from '../kernel/bytes.ts';
import { inTemporary } from '../process/temporaries.ts';
import { git, whyGitFailed } from './git.ts';
import { GitProblem, Refs } from './refs.ts';

/*
 * Files that lie in no checkout, or that git ignores there, travel as a commit of their own: its
 * tree names each by its place in a list that both sides have. Links and empty folders do not
 * travel. Throws `GitProblem`.
 */

/** The most that travels beside the work of a checkout, in bytes and in files. */
const mostBytes = 100 * 1024 * 1024;
const mostFiles = 20_000;

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly isExecutable: boolean;
  readonly bytes: number;
}

/** A commit of the files and folders at these absolute paths; null: none of them exists. */
export async function packFiles(project: string, paths: readonly string[]): Promise<string | null> {
  const found = paths.flatMap((path, index) => entriesOf(path, String(index)));
  if (found.length === 0) return null;
  refuseMuch(found);
  const refs = new Refs(project);
  const names = found.map(({ path }) => `${path}\n`).join('');
  const hashed = await refs.ask(['hash-object', '-w', '--no-filters', '--stdin-paths'], { stdin: names });
  const ids = hashed.split('\n');
  const lines = found.map(
    ({ name, isExecutable }, index) => `${isExecutable ? '100755' : '100644'} ${ids[index] ?? ''}\t${name}\0`,
  );
  const tree = await inTemporary(async (folder) => {
    const env = { GIT_INDEX_FILE: join(folder, 'index') };
    await refs.ask(['update-index', '-z', '--index-info'], { stdin: lines.join(''), env });
    return refs.ask(['write-tree'], { env });
  });
  const author = { name: 'mailroom', email: 'mailroom@mailroom' };
  return refs.commit(tree, [], { text: 'Files\n', author });
}

/** A file of such a commit: of which path of the list, and where below it. */
export interface ParcelFile {
  readonly index: number;
  readonly below: readonly string[];
  readonly bytes: Buffer;
  readonly isExecutable: boolean;
}

export async function filesIn(project: string, commit: string): Promise<ParcelFile[]> {
  const found = await listed(project, commit);
  refuseMuch(found);
  const contents = await contentsOf(project, found);
  return found.map(({ name, mode }, index) => {
    const [first = '', ...below] = name.split('/');
    if (!/^\d{1,6}$/.test(first) || below.some(isNoName))
      throw new GitProblem(`${name} is not the name of a file`);
    const bytes = contents[index] ?? Buffer.alloc(0);
    return { index: Number(first), below, bytes, isExecutable: mode === '100755' };
  });
}

function isNoName(name: string): boolean {
  return ['', '.', '..'].includes(name) || name.toLowerCase() === '.git';
}

/** The regular files at a path. */
function entriesOf(path: string, name: string): Entry[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory())
    return readdirSync(path)
      .filter((each) => !isNoName(each))
      .flatMap((each) => entriesOf(join(path, each), `${name}/${each}`));
  if (stat?.isFile() !== true) return [];
  if (path.includes('\n')) throw new GitProblem(`${JSON.stringify(path)} has a line break in its name`);
  return [{ name, path, isExecutable: (stat.mode & 0o100) !== 0, bytes: stat.size }];
}

function refuseMuch(files: readonly Pick<Entry, 'bytes'>[]): void {
  const bytes = files.reduce((sum, each) => sum + each.bytes, 0);
  if (files.length > mostFiles)
    throw new GitProblem(
      `more than ${String(mostFiles)} files would travel besides the work of its checkout`,
    );
  if (bytes > mostBytes)
    throw new GitProblem(
      `files of ${bytesInWords(bytes)} would travel besides the work of its checkout: at most ${bytesInWords(mostBytes)} do; let git track them`,
    );
}

interface Listed extends Pick<Entry, 'name' | 'bytes'> {
  readonly mode: string;
  readonly id: string;
}

async function listed(project: string, commit: string): Promise<Listed[]> {
  const text = await new Refs(project).ask(['ls-tree', '-r', '-z', '--long', commit]);
  const lines = text.split('\0').filter((line) => line !== '');
  return lines.flatMap((line): Listed[] => {
    const [, mode = '', type = '', id = '', size = '', name = ''] =
      /^(\d+) (\w+) (\w+) +(\w+|-)\t(.*)$/s.exec(line) ?? [];
    // Of an object that is not there git says `BAD`.
    if (type === 'blob' && !/^\d+$/.test(size)) throw new GitProblem(`${id}, the file ${name}, is missing`);
    // A link could lead anywhere.
    return type === 'blob' && mode !== '120000' ? [{ mode, id, bytes: Number(size), name }] : [];
  });
}

/** Read by one process, whatever their number. */
async function contentsOf(project: string, files: readonly Listed[]): Promise<Buffer[]> {
  if (files.length === 0) return [];
  const stdin = files.map(({ id }) => `${id}\n`).join('');
  const read = await git(['cat-file', '--batch'], {
    cwd: project,
    stdin,
    encoding: 'latin1',
    maxOutputBytes: 2 * mostBytes,
  });
  if (read.exitCode !== 0) throw new GitProblem(`git cat-file failed: ${whyGitFailed(read)}`);
  let at = 0;
  return files.map(({ id, bytes }) => {
    const header = `${id} blob ${String(bytes)}\n`;
    const begin = at + header.length;
    if (read.stdout.slice(at, begin) !== header) throw new GitProblem(`${id} cannot be read`);
    at = begin + bytes + 1;
    return Buffer.from(read.stdout.slice(begin, begin + bytes), 'latin1');
  });
}
