import { posix } from 'node:path';
import { importsOf } from './imports.ts';
import { parse, type Tree } from './tree.ts';

const floor = 60;
/** What a file may have at most: a slice that its importer has no room for stays. */
const ceiling = 400;

/** Files that stay below the floor, and why. A path that ends with `/` means the files of that folder. */
export const exceptions: Readonly<Record<string, string>> = {
  'src/providers/': 'an interface: one file for each provider',
  'src/web/api/sse.ts': 'pure, and tested without a browser',
  'src/web/state/pace.ts': 'pure, and tested without a browser',
};

/**
 * Files of src below the floor that belong to their only importer, and exceptions that no file needs. Another folder, or an
 * `import()`, keeps a file apart for a reason of its own.
 */
export function findSlices(tree: Tree, except: Readonly<Record<string, string>> = exceptions): string[] {
  const importers = new Map<string, Set<string>>();
  const apart = new Set<string>();
  for (const [path, text] of tree)
    for (const { target, isRelative, isDeferred } of importsOf(parse(path, text))) {
      if (!isRelative) continue;
      importers.set(target, (importers.get(target) ?? new Set()).add(path));
      if (isDeferred || posix.dirname(path) !== posix.dirname(target)) apart.add(target);
    }
  const linesOf = (path: string) => (tree.get(path) ?? '').split('\n').length - 1;
  const slices = [...importers].flatMap(([path, by]) => {
    const [importer = ''] = by;
    const lines = linesOf(path);
    const fits = lines + linesOf(importer) <= ceiling;
    return lines > 0 && lines < floor && fits && by.size === 1 && !apart.has(path)
      ? [{ path, lines, importer }]
      : [];
  });
  const names = Object.keys(except);
  const covers = (name: string, path: string) => (name.endsWith('/') ? path.startsWith(name) : path === name);
  return [
    ...slices
      .filter(({ path }) => !names.some((name) => covers(name, path)))
      .map(({ path, lines, importer }) => `${path} has ${lines} lines and belongs to ${importer}`),
    ...names
      .filter((name) => !slices.some(({ path }) => covers(name, path)))
      .map((name) => `${name} needs no exception`),
  ];
}
