import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** Text of files by their path, which is relative to the repository and has forward slashes. */
export type Tree = ReadonlyMap<string, string>;

const repository = fileURLToPath(new URL('../..', import.meta.url));
const ignored = new Set(['node_modules', 'dist', 'coverage', '.git', '.mailroom', 'fixtures']);

/** Reads the files below the given folders of the repository whose names end in one of the endings. */
export function readTree(folders: readonly string[], endings: readonly string[]): Tree {
  const paths = folders.flatMap((folder) => listFiles(folder)).toSorted();
  const wanted = paths.filter((path) => endings.some((ending) => path.endsWith(ending)));
  return new Map(wanted.map((path) => [path, readFileSync(join(repository, path), 'utf8')]));
}

function listFiles(folder: string): string[] {
  if (!existsSync(join(repository, folder))) return [];
  return readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ignored.has(entry.name) ? [] : listFiles(path);
    return entry.isFile() ? [path] : [];
  });
}

/** The folders in a folder of src/, named as rooms. */
export function roomsIn(within: string): string[] {
  const entries = readdirSync(join(repository, within), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${within.replace(/^src\//, '')}/${name}`)
    .toSorted();
}

export function parse(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
}

/** Calls `look` for every node of the file, outermost first. */
export function visit(file: ts.SourceFile, look: (node: ts.Node) => void): void {
  const descend = (node: ts.Node): void => {
    look(node);
    ts.forEachChild(node, descend);
  };
  descend(file);
}

/** The line, counted from 1, on which the node itself begins (comments before it left out). */
export function lineOf(file: ts.SourceFile, node: ts.Node): number {
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}

export function isTestFile(path: string): boolean {
  return path.endsWith('.test.ts');
}
