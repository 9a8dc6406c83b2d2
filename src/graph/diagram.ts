import { counted } from '../kernel/enumerate.ts';
import { innerOf, profilesOf } from '../workflow/bodies.ts';
import { targetsOf } from '../workflow/flow.ts';
import type { Body, Step, Workflow } from '../workflow/model.ts';

/** A workflow or a protocol as a drawing: nodes, frames and edges. */
export interface Diagram {
  readonly nodes: readonly DiagramNode[];
  /** Loops and sub-workflows: frames around their steps. */
  readonly frames: readonly Frame[];
  readonly edges: readonly Edge[];
}

export interface DiagramNode {
  /** The step's path without items and visits; the name of a role. */
  readonly path: string;
  readonly name: string;
  /** A short description of its worker, or of the program of a role. */
  readonly who: string;
  readonly shape: 'step' | 'gate' | 'condition';
  /** The path of the enclosing frame; null: none. */
  readonly frame: string | null;
}

interface Frame {
  readonly path: string;
  readonly label: string;
  readonly frame: string | null;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** Dashed: an answer in a protocol. Thick: a request that opens a sub-thread. */
  readonly line: 'solid' | 'dashed' | 'thick';
}

/** The drawing of a workflow, for `graph`. */
export function diagramOf(workflow: Workflow): Diagram {
  const nodes: DiagramNode[] = [];
  const frames: Frame[] = [];
  const edges: Edge[] = [];
  const walk = (body: Body, frame: string | null): void => {
    const pathOf = (id: string) => (frame === null ? id : `${frame}/${id}`);
    for (const step of body.steps) {
      const path = pathOf(step.id);
      const inner = innerOf(step.work);
      if (inner === null) nodes.push(nodeOf(step, path, frame));
      else {
        frames.push({ path, label: `${step.id}: ${whoOf(step)}`, frame });
        walk(inner, path);
      }
      edges.push(...edgesOf(step, pathOf));
    }
  };
  walk(workflow.body, null);
  return { nodes, frames, edges };
}

/** The steps of a workflow's own body; those inside loops and sub-workflows are left out. */
export interface Outline {
  /** In the order of the definition. */
  readonly nodes: readonly {
    readonly id: string;
    readonly who: string;
    /** `body`: a loop or a sub-workflow. */
    readonly shape: DiagramNode['shape'] | 'body';
  }[];
  readonly edges: readonly Pick<Edge, 'from' | 'to' | 'label'>[];
}

export function outlineOf({ body: { steps } }: Workflow): Outline {
  return {
    nodes: steps.map((step) => {
      const isBody = innerOf(step.work) !== null;
      return { id: step.id, who: whoOf(step), shape: isBody ? 'body' : shapeOf(step) };
    }),
    edges: steps.flatMap((step) =>
      edgesOf(step, (id) => id).map(({ from, to, label }) => ({ from, to, label })),
    ),
  };
}

function nodeOf(step: Step, path: string, frame: string | null): DiagramNode {
  return { path, name: step.id, who: whoOf(step), shape: shapeOf(step), frame };
}

function shapeOf({ work, when }: Step): DiagramNode['shape'] {
  return work.kind === 'gate' ? 'gate' : when === null ? 'step' : 'condition';
}

function whoOf(step: Step): string {
  const { work, choice } = step;
  if (choice !== undefined)
    return profilesOf(step)
      .map(({ name }) => name)
      .join(' or ');
  switch (work.kind) {
    case 'agent':
      return work.model === null ? work.provider : `${work.provider}, ${work.model}`;
    case 'script':
      return 'script';
    case 'command':
      return 'command';
    case 'role':
      return `role ${work.role}`;
    case 'merge':
      return `merges ${(step.checkout?.merges ?? []).join(', ')}`;
    case 'land':
      return `lands on ${work.branch}`;
    case 'gate':
      return work.approvers.length === 0 ? 'gate' : `gate: ${work.approvers.join(', ')}`;
    case 'for-each':
      return `for each ${work.as}`;
    case 'while':
      return `while, at most ${counted(work.maxIterations, 'time')}`;
    case 'assign':
      return `sets ${Object.keys(work.values).join(', ')}`;
    case 'route':
      return 'chooses the next step';
    case 'fail':
      return 'fails';
    case 'finally':
      return 'when all is over';
    case 'workflow':
      return `workflow ${work.workflow.name}`;
  }
}

/** Dependencies, the jumps of a sequence, and the repetition of a check. */
function edgesOf(step: Step, pathOf: (id: string) => string): Edge[] {
  const path = pathOf(step.id);
  const needs = step.needs.map((need) => ({
    from: pathOf(need.step),
    to: path,
    label: need.when === null ? '' : 'if',
    line: 'solid' as const,
  }));
  // A step's summary does not repeat it.
  const again =
    step.check === null || step.check.purpose === 'summary'
      ? []
      : [
          {
            from: path,
            to: path,
            label: `until complete, at most ${String(step.check.maxIterations)} times`,
            line: 'solid' as const,
          },
        ];
  const jumps = targetsOf(step).flatMap(({ target, label }) =>
    target.to === 'step' ? [{ from: path, to: pathOf(target.step), label, line: 'solid' as const }] : [],
  );
  return [...needs, ...again, ...jumps];
}
