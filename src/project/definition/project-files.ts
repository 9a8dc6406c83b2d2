import { bytesInWords } from '../../kernel/bytes.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { readContent } from '../../disk/contents.ts';
import { join, temporaryFolder } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';
import type { RoleName } from '../../kernel/ids.ts';
import { isProtocolFile } from '../../disk/find-project.ts';

/**
 * The maximum size of a definition (protocol, configuration, role), in bytes: YAML readers are slow
 * on larger ones.
 */
const definitionBytes = 256 * 1024;

/** A text file of the project, by its relative path. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** The paths of the protocol's files in a folder, sorted by name. */
export function listProtocolFiles(disk: Disk, folder: string): string[] {
  return (disk.list(folder) ?? [])
    .filter(isProtocolFile)
    .toSorted()
    .map((name) => join(folder, name));
}

/** A file among the workflows that changes them. */
const overridesFile = 'workflows/overrides.yaml';

/**
 * A folder with such a file is a workflow; `overrides/` in it contains templates that change
 * workflows.
 */
const workflowFile = /^WORKFLOW\.(?:yaml|json)$/;

/**
 * Files of workflows in workflows/ and the folders below it, sorted. Leaves out hidden folders and
 * a workflow's overrides.
 */
export function listWorkflowFiles(disk: Disk, folder = 'workflows'): string[] {
  if (disk.look(folder)?.kind !== 'folder') return [];
  const names = (disk.list(folder) ?? []).filter((name) => !name.startsWith('.')).toSorted();
  const isWorkflow = names.some((name) => workflowFile.test(name));
  return names.flatMap((name) => {
    if (isWorkflow && name === 'overrides') return [];
    const path = join(folder, name);
    if (disk.look(path)?.kind === 'folder') return listWorkflowFiles(disk, path);
    const isOther = name === 'agents.yaml' || path === overridesFile;
    return /\.(ya?ml|json)$/.test(name) && !isOther ? [path] : [];
  });
}

/**
 * `mailroom.yaml` or `agents.yaml`; null when it does not exist, or is the empty folder that a
 * sandbox puts in its place. Throws as `readDefinition`.
 */
export function readConfigFile(disk: Disk, name: 'mailroom.yaml' | 'agents.yaml'): TextFile | null {
  const isKept = disk.look(name)?.kind === 'folder' && disk.list(name)?.length === 0;
  return isKept ? null : readDefinition(disk, name);
}

/**
 * The description of a role, `agents/<role>/role.md`; null when it does not exist. Throws as
 * `readDefinition`.
 */
export function readRoleFile(disk: Disk, role: RoleName): TextFile | null {
  return readDefinition(disk, join(join('agents', role), 'role.md'));
}

/**
 * A file of a definition; null when it does not exist. Follows a link that stays in the project:
 * one file may serve two programs. Throws `E_FILE` for one that is not text or over 256 KiB.
 */
export function readDefinition(disk: Disk, path: string): TextFile | null {
  const real = disk.resolve(path);
  if (real === null) return null;
  const content = readContent(disk, real, definitionBytes);
  if (content === 'gone') return null;
  if (content.ok) return { path, text: content.text };
  throw new MailroomError(
    'E_FILE',
    `cannot read ${path}: ${content.problem}`,
    `it must be a text file of at most ${bytesInWords(definitionBytes)}`,
  );
}

/** Writes missing files, and keeps existing ones. Returns the paths that it wrote. */
export function writeMissing(disk: Disk, files: readonly TextFile[]): string[] {
  return files
    .filter(({ path, text }) => {
      if (disk.look(path) !== null) return false;
      disk.write(path, text);
      return true;
    })
    .map(({ path }) => path);
}

/**
 * Appends missing lines to a text file, created if necessary. Returns those lines. Throws `E_FILE`.
 */
export function appendMissingLines(disk: Disk, path: string, lines: readonly string[]): string[] {
  const real = disk.resolve(path) ?? path;
  const content = readContent(disk, real);
  if (content !== 'gone' && !content.ok)
    throw new MailroomError('E_FILE', `cannot add to ${path}: ${content.problem}`);
  const text = content === 'gone' ? '' : content.text;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const missing = missingLines(text, lines);
  if (missing.length === 0) return [];
  const gap = text === '' || text.endsWith('\n') ? '' : newline;
  disk.write(real, text + gap + missing.map((line) => line + newline).join(''));
  return missing;
}

/** The lines that a file lacks. A path is there with and without its first and last slash. */
export function missingLines(text: string, lines: readonly string[]): string[] {
  const bare = (line: string) => line.trim().replace(/^\/(?=.)|(?<=.)\/$/g, '');
  const present = new Set(text.split(/\r?\n/).map(bare));
  return lines.filter((line) => !present.has(bare(line)));
}

/**
 * Copies the JSON Schemas to the path in the first line of the scaffolded files, for editors.
 * Returns the paths that were missing or differed.
 */
export function copySchemas(schemas: Disk, project: Disk): string[] {
  return filesBelow(schemas, '').flatMap(({ path, text }) => {
    const place = `.mailroom/schemas/${path}`;
    if (project.read(place, 2 * Buffer.byteLength(text))?.toString('utf8') === text) return [];
    project.write(place, text);
    return [place];
  });
}

function filesBelow(disk: Disk, folder: string): TextFile[] {
  return (disk.list(folder) ?? []).toSorted().flatMap((name): TextFile[] => {
    const path = folder === '' ? name : join(folder, name);
    const kind = disk.look(path)?.kind;
    if (kind === 'folder') return filesBelow(disk, path);
    const content = kind === 'file' ? readContent(disk, path) : 'gone';
    if (content === 'gone' || !content.ok)
      throw new MailroomError('E_INTERNAL', `the template has no text at ${path}`);
    return [{ path, text: content.text }];
  });
}

/** Removes files over an hour old that killed programs left in `.mailroom/tmp`. */
export function removeOldTemporaries(disk: Disk, now: number): void {
  for (const name of disk.list(temporaryFolder) ?? []) {
    const path = join(temporaryFolder, name);
    if ((disk.look(path)?.mtimeMs ?? now) < now - 3_600_000) removeIfPossible(disk, path);
  }
}

/** A leftover file that cannot be removed does no harm. */
function removeIfPossible(disk: Disk, path: string): void {
  try {
    disk.remove(path);
  } catch (error) {
    if (!(error instanceof MailroomError) || error.code !== 'E_DISK') throw error;
  }
}
