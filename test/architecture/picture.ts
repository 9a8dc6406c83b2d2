import { edges, rooms } from './rooms.ts';

/** Folders whose rooms are one node of the picture. */
const folders = ['extensions', 'languages', 'process', 'server'];

/** The name of a room's node. */
function nodeOf(room: string): string {
  return folders.find((folder) => room === folder || room.startsWith(`${folder}/`)) ?? room;
}

/**
 * The table of rooms as a Mermaid graph: an arrow for each permission that no longer way stands for, the users of a room
 * above it.
 */
export function pictureOfRooms(): string {
  const direct = new Map(Object.keys(rooms).map((room) => [nodeOf(room), new Set<string>()]));
  for (const [from, to] of edges) if (nodeOf(from) !== nodeOf(to)) direct.get(nodeOf(from))?.add(nodeOf(to));
  const reach = (node: string): Set<string> =>
    new Set([...(direct.get(node) ?? [])].flatMap((next) => [next, ...reach(next)]));
  const below = new Map([...direct.keys()].map((node) => [node, reach(node)]));
  const shown = (node: string): string[] => {
    const next = [...(direct.get(node) ?? [])];
    return next.filter((to) => !next.some((by) => below.get(by)?.has(to)));
  };
  const height = (node: string): number => below.get(node)?.size ?? 0;
  const nodes = [...direct.keys()].toSorted((a, b) => height(b) - height(a));
  const lines = nodes.flatMap((node) => {
    const to = shown(node).toSorted((a, b) => height(b) - height(a));
    return to.length === 0 ? [] : [`  ${named(node)} --> ${to.map(named).join(' & ')}\n`];
  });
  return `graph TD\n${lines.join('')}`;
}

/** Mermaid's names have no slash. */
function named(node: string): string {
  return node.includes('/') ? `${node.replace('/', '_')}[${node}]` : node;
}

/** The page with this picture in place of its first one. */
export function withPicture(page: string): string {
  return page.replace(/(?<=```mermaid\n)[^`]*(?=```)/, pictureOfRooms());
}
