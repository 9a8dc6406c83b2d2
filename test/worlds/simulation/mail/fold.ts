/** What one commit has changed: whose branch it was made on, in which file, and what lay there before it. */
export interface Change {
  readonly branch: string;
  readonly file: string;
  readonly after: Changes;
}

export type Changes = ReadonlySet<string>;

/**
 * Whether some order of all changes, in which each comes after those that it was made on, ends with these files: the last
 * change of each file must come after all others of it.
 */
export function foldsTo(
  changes: Changes,
  tree: ReadonlyMap<string, string>,
  made: ReadonlyMap<string, Change>,
): boolean {
  const before = new Map<string, Set<string>>();
  for (const change of changes) {
    const { file, after } = made.get(change) ?? { file: '', after: [] };
    const last = tree.get(file);
    if (last === undefined || !changes.has(last) || made.get(last)?.file !== file) return false;
    before.set(change, new Set([...(before.get(change) ?? []), ...after].filter((one) => changes.has(one))));
    if (last !== change) before.set(last, new Set([...(before.get(last) ?? []), change]));
  }
  let open = [...before];
  while (open.length > 0) {
    const waiting = new Set(open.map(([change]) => change));
    const left = open.filter(([, others]) => [...others].some((other) => waiting.has(other)));
    if (left.length === open.length) return false;
    open = left;
  }
  return true;
}
