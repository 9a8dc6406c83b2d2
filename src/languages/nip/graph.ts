import { didYouMean } from '../../kernel/nearest.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { StepTag } from './steps.ts';
import { expectLength, wordAt, type Tag } from './tags.ts';

/** An edge both ends of which are steps. */
export interface EdgeTag {
  readonly from: string;
  readonly to: string;
  readonly condition: string;
  readonly tag: Tag;
}

/** The edges between the steps, and what comes before what. */
export interface Graph {
  readonly edges: readonly EdgeTag[];
  /** By step: all from which a way leads to it; null where edges go in circles. */
  readonly before: ReadonlyMap<string, ReadonlySet<string>> | null;
}

/** Reads the edges and checks that they make a graph without circles in which every step takes part. */
export function readGraph(
  tags: readonly Tag[],
  steps: readonly StepTag[],
  broken: boolean,
  diagnostics: Diagnostics,
): Graph {
  const ids = new Set(steps.map(({ id }) => id));
  const written = tags.filter(({ name }) => name === 'edge');
  const edges = written.flatMap((tag) => readEdge(tag, ids, broken, diagnostics) ?? []);
  const ends = new Set(edges.flatMap(({ from, to }) => [from, to]));
  if (written.length > 0 && edges.length === written.length)
    for (const { id, path } of steps)
      if (!ends.has(id))
        diagnostics.error(
          'E_WORKFLOW',
          [...path, 1],
          `no edge leads to or from \`${id}\``,
          'add an edge, or leave the step out',
        );
  return { edges, before: orderOf(edges, steps, diagnostics) };
}

function readEdge(
  tag: Tag,
  ids: ReadonlySet<string>,
  broken: boolean,
  diagnostics: Diagnostics,
): EdgeTag | null {
  if (!expectLength(tag, 2, 3, diagnostics)) return null;
  const [from = '', to = '', condition = 'always'] = tag.words;
  const isKnown = [from, to].map((id, index) => {
    if (ids.has(id)) return true;
    // What is wrong with a step is told at the step.
    if (!broken)
      diagnostics.error(
        'E_UNKNOWN_NAME',
        wordAt(tag, index),
        `no step is called \`${id}\``,
        didYouMean(id, ids),
      );
    return false;
  });
  return isKnown.includes(false) ? null : { from, to, condition, tag };
}

/** What comes before each step, by walking from those without an edge to them; what is left over goes in circles. */
function orderOf(
  edges: readonly EdgeTag[],
  steps: readonly StepTag[],
  diagnostics: Diagnostics,
): Graph['before'] {
  const open = new Map(steps.map(({ id }) => [id, 0]));
  const onward = new Map<string, EdgeTag[]>(steps.map(({ id }) => [id, []]));
  for (const edge of edges) {
    open.set(edge.to, open.get(edge.to)! + 1);
    onward.get(edge.from)!.push(edge);
  }
  const before = new Map(steps.map(({ id }) => [id, new Set<string>()]));
  const ready = [...open].flatMap(([id, count]) => (count === 0 ? [id] : []));
  for (const id of ready)
    for (const { to } of onward.get(id)!) {
      for (const each of [id, ...before.get(id)!]) before.get(to)!.add(each);
      open.set(to, open.get(to)! - 1);
      if (open.get(to) === 0) ready.push(to);
    }
  if (ready.length === open.size) return before;
  tellCircles(edges, new Set(ready), diagnostics);
  return null;
}

/** Tells the circles: every step that is left has an edge from another that is left. Of those that share a step, one. */
function tellCircles(edges: readonly EdgeTag[], done: ReadonlySet<string>, diagnostics: Diagnostics): void {
  const back = new Map<string, EdgeTag>();
  for (const edge of edges) if (!done.has(edge.from) && !done.has(edge.to)) back.set(edge.to, edge);
  const seen = new Set<string>();
  for (const start of back.keys()) {
    const way: EdgeTag[] = [];
    for (let edge = back.get(start); edge && !seen.has(edge.to); edge = back.get(edge.from)) {
      seen.add(edge.to);
      way.push(edge);
    }
    const closing = way.findIndex(({ to }) => to === way.at(-1)?.from);
    if (closing !== -1) tellCircle(way.slice(closing).toReversed(), diagnostics);
  }
}

function tellCircle(circle: readonly EdgeTag[], diagnostics: Diagnostics): void {
  const last = circle.at(-1)!;
  const ids = [...circle.map(({ from }) => from), last.to].map((id) => `\`${id}\``);
  const message =
    circle.length === 1 ? `${ids[0]!} leads to itself` : `the edges go in a circle: ${ids.join(' → ')}`;
  diagnostics.error(
    'E_WORKFLOW',
    last.tag.path,
    message,
    'take an edge away: what is to be repeated is the matter of a role',
  );
}
