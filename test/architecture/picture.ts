import { edges as permitted, languageRooms, rooms } from './rooms.ts';

interface Picture {
  /** The rooms that a node of the picture stands for, by its name. */
  readonly nodes: ReadonlyMap<string, readonly string[]>;
  readonly arrows: readonly (readonly [string, string])[];
}

/** What one node of the picture stands for where its name is no room, or that of several. */
const groups: Readonly<Record<string, readonly string[]>> = {
  languages: ['languages', 'languages/shared', ...languageRooms],
  process: Object.keys(rooms).filter((room) => room === 'process' || room.startsWith('process/')),
  server: Object.keys(rooms).filter((room) => room.startsWith('server/')),
};

/** The picture of the rooms in a page: the first Mermaid block. A label names rooms: `workflow/files, triggers`. */
export function pictureIn(page: string): Picture {
  const [, block = ''] = /```mermaid\n([^`]*)```/.exec(page) ?? [];
  const nodes = new Map<string, readonly string[]>();
  const nodesOf = (side: string) =>
    side.split('&').map((each) => {
      const [, name = '', label] = /^\s*(\w+)(?:\[([^\]]*)\])?\s*$/.exec(each) ?? [];
      if (label !== undefined || !nodes.has(name)) nodes.set(name, roomsNamed(label ?? name));
      return name;
    });
  const arrows = block
    .split('\n')
    .filter((line) => line.includes('-->'))
    .flatMap((line) => {
      const [from = [], to = []] = line.split('-->').map(nodesOf);
      return from.flatMap((a) => to.map((b) => [a, b] as const));
    });
  return { nodes, arrows };
}

function roomsNamed(label: string): readonly string[] {
  const [first = '', ...others] = label.split(',').map((each) => each.trim());
  const around = first.slice(0, first.indexOf('/') + 1);
  return [...(groups[first] ?? [first]), ...others.map((each) => around + each)];
}

/** Where the picture differs from the table of rooms: a room that it lacks, an arrow too many, a way that it does not show. */
export function pictureFaults({ nodes, arrows }: Picture): string[] {
  const shown = [...nodes.values()].flat();
  const nodeOf = (room: string) => [...nodes].find(([, own]) => own.includes(room))?.[0] ?? '';
  const edges = permitted.map(([from, to]) => [nodeOf(from), nodeOf(to)] as const);
  const isEdge = ([from, to]: readonly [string, string]) => edges.some(([a, b]) => a === from && b === to);
  const ways = waysAlong(arrows);
  return [
    ...Object.keys(rooms)
      .filter((room) => !shown.includes(room))
      .map((room) => `${room} is not in the picture`),
    ...shown.filter((room) => rooms[room] === undefined).map((room) => `${room} is not a room`),
    ...arrows.filter((arrow) => !isEdge(arrow)).map(([from, to]) => `no file leads from ${from} to ${to}`),
    ...new Set(
      edges
        .filter(([from, to]) => from !== to && !(ways.get(from)?.has(to) ?? false))
        .map(([from, to]) => `the picture does not lead from ${from} to ${to}`),
    ),
  ];
}

/** The nodes that each node leads to. */
function waysAlong(arrows: readonly (readonly [string, string])[]): Map<string, ReadonlySet<string>> {
  const names = new Set(arrows.flat());
  const reach = (from: string, seen: Set<string>): Set<string> => {
    for (const [a, b] of arrows) if (a === from && !seen.has(b)) reach(b, seen.add(b));
    return seen;
  };
  return new Map([...names].map((name) => [name, reach(name, new Set())]));
}
