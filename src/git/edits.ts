import { relative } from 'node:path';
import type { Edit, Edits } from '../kernel/edits.ts';
import { ownValue } from '../kernel/own.ts';
import { ownPaths } from './folder-changes.ts';
import { git } from './git.ts';
import { treeChanges, workspaceTree, type TreeChange } from './workspace-tree.ts';

/**
 * The limit for the contents in a report, in bytes, before and after together; files beyond it are
 * only named.
 */
const reportedBytes = 16 * 1024 * 1024;

/**
 * Records the present content of a workspace. Returns what reports the files that differ at its
 * call, ignored ones left out; null if git cannot compare them. Mail, and files in the folders
 * `uncounted` (absolute), are not reported.
 */
export async function watchEdits(
  workspace: string,
  project: string,
  uncounted: readonly string[],
): Promise<() => Promise<Edits | null>> {
  const before = await workspaceTree(workspace);
  const isOurPath = ownPaths(workspace, project);
  const others = uncounted.map((folder) => relative(workspace, folder));
  const counts = (path: string) =>
    !isOurPath(path) && !others.some((other) => other === '' || `${path}/`.startsWith(`${other}/`));
  return async () => {
    const after = before === null ? null : await workspaceTree(workspace);
    const prefix = await git(['rev-parse', '--show-prefix'], { cwd: workspace });
    if (before === null || after === null || prefix.exitCode !== 0) return null;
    const changes = await treeChanges(workspace, before, after);
    const from = prefix.stdout.replace(/\n$/, '').length;
    if (changes === null) return null;
    const below = changes.map((change) => ({ ...change, path: change.path.slice(from) }));
    return editsOf(
      workspace,
      below.filter(({ path }) => counts(path)),
    );
  };
}

const kinds: Readonly<Record<string, Edit['kind']>> = { '100755': 'program', '120000': 'link' };
/** The mode of a repository inside the repository: only its commit is known. */
const submodule = '160000';

async function editsOf(workspace: string, changes: readonly TreeChange[]): Promise<Edits | null> {
  const objects = [...new Set(changes.flatMap(({ was, object }) => [was, object]))].filter(isThere);
  if (objects.length === 0) return { changed: [], leftOut: changes.map(({ path }) => path) };
  const sizes = await sizesOf(workspace, objects);
  let left = reportedBytes;
  const fits = ({ was, object, mode }: TreeChange) => {
    const size = (sizes.get(was) ?? 0) + (sizes.get(object) ?? 0);
    if (mode === submodule || size > left) return false;
    left -= size;
    return true;
  };
  const kept = changes.filter((change) => fits(change));
  const contents = await contentsOf(workspace, [
    ...new Set(kept.flatMap(({ was, object }) => [was, object])),
  ]);
  if (contents === null) return null;
  const changed = kept.map(({ path, mode, was, object }): Edit => {
    const [before, after] = [contents.get(was) ?? null, contents.get(object) ?? null];
    return { path, kind: ownValue(kinds, mode) ?? 'file', before, after };
  });
  return { changed, leftOut: changes.filter((change) => !kept.includes(change)).map(({ path }) => path) };
}

function isThere(object: string): boolean {
  return /[^0]/.test(object);
}

async function sizesOf(cwd: string, objects: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { stdout } = await git(['cat-file', '--batch-check'], { cwd, stdin: listed(objects) });
  const lines = stdout.split('\n').map((line) => line.split(' '));
  return new Map(
    lines.flatMap(([object = '', , size]) => (size === undefined ? [] : [[object, Number(size)]])),
  );
}

/** The bytes of objects; null if git cannot read them. */
async function contentsOf(cwd: string, objects: readonly string[]): Promise<Map<string, Buffer> | null> {
  const stdin = listed(objects.filter((object) => isThere(object)));
  const options = { cwd, stdin, encoding: 'latin1', maxOutputBytes: 2 * reportedBytes } as const;
  const { stdout, exitCode } = await git(['cat-file', '--batch'], options);
  if (exitCode !== 0) return null;
  const contents = new Map<string, Buffer>();
  for (let at = 0; at < stdout.length;) {
    const start = stdout.indexOf('\n', at) + 1;
    const [object = '', , size] = stdout.slice(at, start - 1).split(' ');
    // The answer names the object and says that it is missing.
    if (size === undefined) return null;
    contents.set(object, Buffer.from(stdout.slice(start, start + Number(size)), 'latin1'));
    // A line feed follows the bytes.
    at = start + Number(size) + 1;
  }
  return contents;
}

function listed(objects: readonly string[]): string {
  return objects.map((object) => `${object}\n`).join('');
}
