/** Every cycle that a depth-first walk meets, each as the nodes along it with the first one repeated at the end. */
export function findCycles(edges: readonly (readonly [from: string, to: string])[]): string[][] {
  const next = new Map<string, string[]>();
  for (const [from, to] of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const cycles: string[][] = [];
  const finished = new Set<string>();
  const path: string[] = [];
  const walk = (node: string): void => {
    if (finished.has(node)) return;
    const start = path.indexOf(node);
    if (start >= 0) {
      cycles.push([...path.slice(start), node]);
      return;
    }
    path.push(node);
    for (const target of next.get(node) ?? []) walk(target);
    path.pop();
    finished.add(node);
  };
  for (const node of next.keys()) walk(node);
  return cycles;
}
