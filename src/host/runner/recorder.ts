import { basename, dirname, join, resolve } from 'node:path';
import type { Edits } from '../../kernel/edits.ts';
import type { Json } from '../../kernel/json.ts';
import { maskJson, strongMask } from '../../kernel/mask.ts';
import { bytesMasker, maskOf } from '../../process/output/mask.ts';
import { workspaceTree } from '../../git/workspace-tree.ts';
import { recordOf } from '../../providers/recording.ts';
import { readContent, type Found } from '../../disk/contents.ts';
import { RealDisk } from '../../disk/real-disk.ts';
import type { Exit, Invocation, Outcome, StagedFile } from '../../providers/provider.ts';
import { makeProjectFolder } from '../project-folder.ts';
import { openRoot } from '../../disk/roots.ts';

/** Records one invocation. */
type Recorder = (invocation: Invocation, outcome: Outcome, exit: Exit) => void;

/**
 * What a recording of turns in this workspace would lack; null: nothing, or nothing is recorded.
 */
export async function recordingNote(record: string | null, workspace: string): Promise<string | null> {
  if (record === null || (await workspaceTree(workspace)) !== null) return null;
  return `the recording lacks what agents change in ${workspace}: it is not a git working tree`;
}

/**
 * Records each invocation in a folder (absolute), for the provider `replay`: its answer, its output
 * files, and what it changed in its workspace. Strong secrets are masked in all of it; weak ones,
 * which may be words of the recording itself, only in changed files.
 */
export function recorder(folder: string, secrets: readonly string[]): Recorder {
  makeProjectFolder(folder);
  const recordings = new RealDisk(folder, null);
  const mask = strongMask(maskOf(secrets));
  const maskBytes = bytesMasker(secrets);
  return (invocation, outcome, exit) => {
    const { paths, owed } = invocation;
    const staged = filesIn(paths.outbox, '');
    const handed = [...new Set(owed)].flatMap((path) => handedAt(path));
    const messages = paths.messages.flatMap((path) => {
      const content = contentAt(path);
      return content !== 'gone' && content.ok ? [{ name: basename(path), text: content.text }] : [];
    });
    const known = new Set(staged.map(({ name }) => resolve(paths.outbox, name)));
    const files = [...staged, ...handed.filter(({ name }) => !known.has(name))];
    const order = (recordings.list('') ?? []).length + 1;
    const edits = editsBut(files, invocation, exit.edits, maskBytes);
    const { name, json } = recordOf(invocation, messages, { ...exit, edits }, files, outcome, order);
    recordings.write(name, `${JSON.stringify(maskJson(JSON.parse(json) as Json, mask), null, 2)}\n`);
  };
}

/** Its changes, apart from files that are kept unchanged, with secrets masked. */
function editsBut(
  files: readonly StagedFile[],
  { workspace, paths }: Invocation,
  edits: Edits | null,
  mask: (bytes: Uint8Array) => Uint8Array,
): Edits | null {
  if (edits === null) return null;
  const kept = new Set(
    files.flatMap(({ name, content }) => (content.ok ? [resolve(paths.outbox, name)] : [])),
  );
  const masked = (bytes: Uint8Array | null) => bytes && mask(bytes);
  const changed = edits.changed
    .filter(({ path }) => !kept.has(join(workspace, path)))
    .map((edit) => ({ ...edit, before: masked(edit.before), after: masked(edit.after) }));
  return { ...edits, changed };
}

/** A file, or all files of a folder, by their absolute paths; none if it does not exist. */
function handedAt(path: string): StagedFile[] {
  if (openRoot(dirname(path))?.look(basename(path))?.kind === 'folder') return filesIn(path, path);
  const content = contentAt(path);
  return content === 'gone' ? [] : [{ name: path, content }];
}

function contentAt(path: string): Found {
  const within = openRoot(dirname(path));
  return within === null ? 'gone' : readContent(within, basename(path));
}

function filesIn(folder: string, prefix: string): StagedFile[] {
  const disk = openRoot(folder);
  return (disk?.list('') ?? []).toSorted().flatMap((name): StagedFile[] => {
    if (name.startsWith('.')) return [];
    if (prefix !== '' && disk?.look(name)?.kind === 'folder')
      return filesIn(join(folder, name), join(prefix, name));
    const content = contentAt(join(folder, name));
    return content === 'gone' ? [] : [{ name: join(prefix, name), content }];
  });
}
