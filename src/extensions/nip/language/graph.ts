import { didYouMean } from '../../../kernel/nearest.ts';
import { Graph, type GraphNode } from '../../../workflow/check/body.ts';
import type { Diagnostics } from '../../../languages/shared/diagnostics.ts';
import type { StepTag } from './steps.ts';
import { expectLength, wordAt, type Tag } from './tags.ts';

/** An edge between two steps. */
export interface EdgeTag {
  readonly from: string;
  readonly to: string;
  readonly condition: string;
  readonly tag: Tag;
}

/** The edges between the steps, and their order. */
export interface Edges {
  readonly edges: readonly EdgeTag[];
  readonly order: Graph<GraphNode>;
  /** An edge or a step could not be read: any step may come before any other. */
  readonly isOrderUnknown: boolean;
}

/** Reads the edges and checks that every step is connected. */
export function readGraph(
  tags: readonly Tag[],
  steps: readonly StepTag[],
  broken: boolean,
  diagnostics: Diagnostics,
): Edges {
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
  const needsOf = (id: string) => edges.flatMap(({ from, to }) => (to === id ? [{ step: from }] : []));
  const order = new Graph(steps.map(({ id }) => ({ id, needs: needsOf(id) })));
  return { edges, order, isOrderUnknown: broken || edges.length < written.length };
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
    // Errors of a step are reported at the step.
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
