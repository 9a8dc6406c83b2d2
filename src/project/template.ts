import type { Protocol } from '../mail/format/protocol.ts';
import { isUtf8 } from 'node:buffer';
import { isAbsolute, join, resolve } from 'node:path';
import { MailroomError } from '../kernel/errors.ts';
import { ownValue } from '../kernel/own.ts';
import type { Disk } from '../disk/disk.ts';
import { existsOnDisk, RealDisk } from '../disk/real-disk.ts';
import { git } from '../git/git.ts';
import { inTemporary } from '../process/temporaries.ts';
import type { TextFile } from './definition/project-files.ts';

/** A template by its name, with one line about it. */
export interface OwnTemplate {
  readonly name: string;
  readonly about: string;
  /** Null: it has errors. */
  readonly protocol: () => Promise<Protocol | null>;
}

/** A file of a template that is not copied. */
export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

/** The files of a template. */
export interface Template {
  readonly files: readonly TextFile[];
  readonly leftOut: readonly LeftOut[];
}

/** The bounds of a template: files, and bytes of all of them. */
const mostFiles = 1_000;
const mostBytes = 16 * 1024 * 1024;
const cloneTime = 120_000;

/** Whether `--template` names a folder or an address, and not a template of this installation. */
export function isOwnTemplate(reference: string): boolean {
  return /[/\\:]|^\.{1,2}$/.test(reference);
}

/**
 * Reads a folder (relative to `cwd`), or the last commit behind a git URL, `URL#branch` of a branch
 * or tag. Nothing of it is checked out or run: no hooks, filters, submodules or other transports
 * than that of the URL. Throws `E_USAGE`.
 */
export function readTemplate(reference: string, cwd: string): Promise<Template> {
  const scheme = schemeOf(reference);
  if (scheme !== null) return inTemporary((folder) => fromGit(reference, scheme, folder));
  const folder = isAbsolute(reference) ? reference : resolve(cwd, reference);
  if (existsOnDisk(folder, 'folder')) return Promise.resolve(fromFolder(new RealDisk(folder)));
  throw new MailroomError(
    'E_USAGE',
    `there is no folder ${folder}`,
    'a git URL begins with https://, ssh:// or file://',
  );
}

const schemes = ['https', 'http', 'ssh', 'file'];

/** The transport of a git URL; null: it is a path. Throws `E_USAGE` for another transport. */
function schemeOf(reference: string): string | null {
  if (/^[\w.-]+@[\w.-]+:/.test(reference)) return 'ssh';
  const [, scheme] = /^([\w.+-]+):(?:\/\/|:)/.exec(reference) ?? [];
  if (scheme === undefined) return null;
  if (schemes.includes(scheme) && !reference.startsWith(`${scheme}::`)) return scheme;
  throw new MailroomError(
    'E_USAGE',
    `templates are not read by \`${scheme}\``,
    `the transports are ${schemes.join(', ')}`,
  );
}

async function fromGit(reference: string, scheme: string, folder: string): Promise<Template> {
  const [url = '', branch] = reference.split('#');
  // Git would take a branch that begins with a dash for an option.
  const chosen = branch === undefined ? [] : [`--branch=${branch}`];
  const repository = join(folder, 'template.git');
  const options = { cwd: folder, fetches: true, timeoutMs: cloneTime, env: { GIT_ALLOW_PROTOCOL: scheme } };
  const flags = ['--bare', '--quiet', '--depth=1', '--no-tags', '--single-branch', '--template='];
  const cloned = await git(['clone', ...flags, ...chosen, '--', url, repository], options);
  if (cloned.exitCode !== 0) {
    const why = cloned.error ?? cloned.stderr.trim().split('\n').at(-1) ?? '';
    throw new MailroomError('E_USAGE', `cannot read the template ${url}: ${why === '' ? cloned.ended : why}`);
  }
  const inRepository = { cwd: folder, env: { GIT_DIR: repository } };
  const listed = await git(['ls-tree', '-r', '-z', '-l', '--full-tree', 'HEAD'], inRepository);
  const entries = listed.stdout.split('\0').flatMap((line) => entryOf(line) ?? []);
  const blobs = entries.filter(({ kind }) => kind === 'file');
  expectBounded(
    url,
    entries.length,
    blobs.reduce((sum, { size }) => sum + size, 0),
  );
  const read = await git(['cat-file', '--batch'], {
    ...inRepository,
    stdin: blobs.map(({ id }) => `${id}\n`).join(''),
    encoding: 'latin1',
    maxOutputBytes: mostBytes * 2,
  });
  if (listed.exitCode !== 0 || read.exitCode !== 0)
    throw new MailroomError(
      'E_USAGE',
      `cannot read the template ${url}: ${(listed.stderr + read.stderr).trim()}`,
    );
  const contents = contentsOf(Buffer.from(read.stdout, 'latin1'));
  return sorted(entries.map((entry) => ({ ...entry, bytes: contents.get(entry.id) ?? null })));
}

interface Entry {
  readonly path: string;
  readonly kind: 'file' | 'link' | 'submodule' | 'other';
  readonly id: string;
  readonly size: number;
}

const modes: Readonly<Record<string, Entry['kind']>> = {
  100644: 'file',
  100664: 'file',
  100755: 'file',
  120000: 'link',
  160000: 'submodule',
};

function entryOf(line: string): Entry | null {
  const [, mode = '', id = '', size = '', path = ''] = /^(\d+) \w+ (\w+) +(\S+)\t([^]*)$/.exec(line) ?? [];
  return path === '' ? null : { path, kind: ownValue(modes, mode) ?? 'other', id, size: Number(size) || 0 };
}

/** The contents in the output of `cat-file --batch`, by id. */
function contentsOf(output: Buffer): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = 0; at < output.length;) {
    const end = output.indexOf('\n', at);
    if (end < 0) break;
    const [id = '', , size = '0'] = output.toString('latin1', at, end).split(' ');
    const start = end + 1;
    found.set(id, output.subarray(start, start + Number(size)));
    at = start + Number(size) + 1;
  }
  return found;
}

function fromFolder(disk: Disk): Template {
  const found: Found[] = [];
  let bytes = 0;
  const walk = (folder: string): void => {
    for (const name of (disk.list(folder) ?? []).toSorted()) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const look = disk.look(path);
      if (look?.kind === 'folder' && whyNot(path) === null) {
        walk(path);
        continue;
      }
      bytes += look?.kind === 'file' ? look.size : 0;
      expectBounded(disk.root, found.length + 1, bytes);
      const kind = look?.kind === 'file' || look?.kind === 'link' ? look.kind : 'other';
      found.push({ path, kind, bytes: kind === 'file' ? disk.read(path, mostBytes) : null });
    }
  };
  walk('');
  return sorted(found);
}

function expectBounded(name: string, files: number, bytes: number): void {
  if (files <= mostFiles && bytes <= mostBytes) return;
  throw new MailroomError(
    'E_USAGE',
    `the template ${name} is too large`,
    `it may have ${mostFiles} files and ${mostBytes / 1024 / 1024} MiB`,
  );
}

interface Found extends Pick<Entry, 'path' | 'kind'> {
  readonly bytes: Buffer | null;
}

const kinds: Readonly<Record<Exclude<Entry['kind'], 'file'>, string>> = {
  link: 'a link',
  submodule: 'a submodule',
  other: 'not a file',
};

function sorted(found: readonly Found[]): Template {
  const files: TextFile[] = [];
  const leftOut: LeftOut[] = [];
  for (const { path, kind, bytes } of found) {
    const why = whyNot(path) ?? (kind === 'file' ? null : kinds[kind]);
    if (why !== null) leftOut.push({ path, why });
    else if (bytes === null || bytes.includes(0) || !isUtf8(bytes)) leftOut.push({ path, why: 'not text' });
    else files.push({ path, text: bytes.toString('utf8') });
  }
  return { files, leftOut };
}

/** The folders of a role's mail. */
export const boxes = ['inbox', 'outbox', 'processed', 'sent', 'failed', 'withdrawn'];

/** Why a path of a template is never written; null: it may be. */
function whyNot(path: string): string | null {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || /[\\\0]/.test(part)))
    return 'not a path inside the project';
  if (parts.some((part) => part.toLowerCase() === '.git')) return 'part of a repository';
  const [first = '', , third = ''] = parts;
  if (first.toLowerCase() === '.mailroom') return 'state of a project';
  if (first === 'agents' && boxes.includes(third)) return 'mail';
  return parts.includes('node_modules') ? 'an installed package' : null;
}

/**
 * Writes the files that do not exist yet. A file behind a link of the project is left out: it would
 * be written elsewhere.
 */
export function writeTemplate(
  project: Disk,
  { files, leftOut }: Template,
): { readonly written: string[]; readonly kept: string[]; readonly leftOut: LeftOut[] } {
  const done = { written: [] as string[], kept: [] as string[], leftOut: [...leftOut] };
  for (const { path, text } of files) {
    const link = linkAbove(project, path);
    if (link !== null) done.leftOut.push({ path, why: `${link} is a link here` });
    else if (project.look(path) !== null) done.kept.push(path);
    else {
      project.write(path, text);
      done.written.push(path);
    }
  }
  return done;
}

/** The link through which a path of the project leads; null: none. */
export function linkAbove(project: Disk, path: string): string | null {
  const parts = path.split('/').slice(0, -1);
  const above = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  return above.find((folder) => project.look(folder)?.kind === 'link') ?? null;
}
