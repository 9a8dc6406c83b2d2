import type { Language } from '../../expressions/language.ts';
import { referencesOf } from '../../expressions/references.ts';
import { treesOf, type Template } from '../../expressions/template.ts';
import type { Tree } from '../../expressions/tree.ts';
import { machineLanguage } from './language.ts';
import { previousNamespace } from '../reserved.ts';
import { targetsOf } from '../flow.ts';
import type { Body, Check, Step, StepId, Work, Workflow } from '../model.ts';

/**
 * Names a step of the definition: `each/lint`, `child/deploy`, without items and visits; `` is the
 * run.
 */
export type StaticPath = string;

/** A step with the indices that the machine uses. */
export interface StepRule {
  readonly at: StaticPath;
  readonly step: Step;
  readonly body: BodyRule;
  /** The body of a loop or a sub-workflow; null: it has none. */
  readonly inner: BodyRule | null;
  /** The number of distinct steps it needs. */
  readonly needs: number;
  readonly dependents: readonly StepRule[];
  /** Steps whose results its expressions read; null: computed at run time. */
  readonly reads: ReadonlySet<StepId> | null;
  /** The same of the previous iteration of the enclosing `while`. */
  readonly readsPrevious: ReadonlySet<StepId> | null;
  /** Whether its condition reads results of steps. */
  readonly whenReadsSteps: boolean;
  /**
   * Steps whose status its condition reads: a gate among them that its own condition skipped does
   * not close it.
   */
  readonly judges: ReadonlySet<StepId>;
  /** Whether its work depends on any expression. */
  readonly dynamic: boolean;
  /** The worker's provider, which may be rate limited; null: none; empty: chosen when it starts. */
  readonly provider: string | null;
  /** The check's provider; null: none. */
  readonly checkProvider: string | null;
}

/** The steps that run together. */
export interface BodyRule {
  /** The step that owns the body. */
  readonly owner: StaticPath;
  readonly body: Body;
  /** The workflow that contains it: a sub-workflow sees nothing of the enclosing one. */
  readonly workflow: Workflow;
  readonly language: Language;
  /** The enclosing body whose steps are visible here; null: none. */
  readonly around: BodyRule | null;
  readonly steps: ReadonlyMap<StepId, StepRule>;
  /** Steps of a graph without needs. */
  readonly roots: readonly StepRule[];
  /** The step that runs once all others are over; null: none. It counts among `steps`. */
  readonly last: StepRule | null;
  /** The name of the item; null: not a loop. */
  readonly item: string | null;
}

/** A definition with its indices; compiled once. */
export interface Rules {
  readonly workflow: Workflow;
  readonly root: BodyRule;
  readonly bodies: ReadonlyMap<StaticPath, BodyRule>;
}

/** Compiles a definition to rules. Linear in its size. */
export function compile(workflow: Workflow): Rules {
  const bodies = new Map<StaticPath, BodyRule>();
  const root = compileBody(bodies, '', workflow.body, {
    workflow,
    around: null,
    item: null,
    language: machineLanguage,
  });
  return { workflow, root, bodies };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type BodyContext = Pick<BodyRule, 'workflow' | 'around' | 'item' | 'language'>;

function compileBody(
  bodies: Map<StaticPath, BodyRule>,
  owner: StaticPath,
  body: Body,
  context: BodyContext,
): BodyRule {
  const steps = new Map<StepId, Mutable<StepRule> & { dependents: StepRule[] }>();
  const rule: Mutable<BodyRule> = { owner, body, ...context, steps, roots: [], last: null };
  bodies.set(owner, rule);
  for (const step of body.steps) {
    const at = owner === '' ? step.id : `${owner}/${step.id}`;
    const trees = treesIn(step, context.workflow);
    steps.set(step.id, {
      at,
      step,
      body: rule,
      inner: null,
      needs:
        body.kind === 'sequence' || step.work.kind === 'finally'
          ? 0
          : new Set(step.needs.map((need) => need.step)).size,
      dependents: [],
      reads: stepsRead(trees, context.language),
      readsPrevious: previousRead(trees, context.language),
      whenReadsSteps: step.when !== null && stepsRead([step.when], context.language)?.size !== 0,
      judges: step.when === null ? noSteps : statusesRead(step.when, context.language),
      dynamic: trees.length > 0,
      provider: providerOf(step.work),
      checkProvider: step.check === null ? null : providerOf(step.check.work),
    });
  }
  for (const each of steps.values()) {
    // What runs finally is not begun by what it comes after.
    if (body.kind === 'graph' && each.step.work.kind !== 'finally')
      for (const need of new Set(each.step.needs.map((one) => one.step)))
        steps.get(need)?.dependents.push(each);
    each.inner = innerBody(bodies, each, rule);
  }
  rule.last = [...steps.values()].find(({ step }) => step.work.kind === 'finally') ?? null;
  rule.roots =
    body.kind === 'graph' ? [...steps.values()].filter((each) => each.needs === 0 && each !== rule.last) : [];
  return rule;
}

function innerBody(
  bodies: Map<StaticPath, BodyRule>,
  { at, step }: StepRule,
  around: BodyRule,
): BodyRule | null {
  const { work } = step;
  const { workflow: outer, language } = around;
  const context = { workflow: outer, around, language };
  if (work.kind === 'for-each') {
    const item = work.as;
    return compileBody(bodies, at, work.body, { ...context, item });
  }
  if (work.kind === 'while' || work.kind === 'finally')
    return compileBody(bodies, at, work.body, { ...context, item: null });
  if (work.kind !== 'workflow') return null;
  const { workflow } = work;
  return compileBody(bodies, at, workflow.body, {
    workflow,
    around: null,
    item: null,
    language: machineLanguage,
  });
}

/** The provider whose rate limit delays a worker. */
function providerOf(work: Work): string | null {
  return work.kind === 'agent' ? work.provider : null;
}

/** Every expression of a step's launch, without those of a loop's inner steps. */
function treesIn(step: Step, workflow: Workflow): Tree[] {
  const templates: Template[] = [
    ...Object.values(workflow.env),
    ...Object.values(step.env),
    ...step.outputs.map(({ path }) => path),
    ...(step.workspace === null ? [] : [step.workspace.path]),
    ...(step.stdin === null ? [] : [step.stdin]),
    ...(step.stdout === null ? [] : [step.stdout.path]),
    ...messagesOf(step),
    ...(step.promptInputs ?? []).map(({ source }) => source),
    ...(step.choice === undefined ? [] : [step.choice.name]),
    ...templatesIn(step.work),
    ...(step.check === null ? [] : [...templatesIn(step.check.work), ...Object.values(step.check.env ?? {})]),
  ];
  const conditions = [step.when, ...step.needs.map((need) => need.when)].filter((tree) => tree !== null);
  const { work } = step;
  const loops =
    work.kind === 'while'
      ? [work.condition]
      : work.kind === 'route'
        ? work.ways.flatMap(({ when }) => when ?? [])
        : work.kind === 'for-each' && isTree(work.items)
          ? [work.items]
          : [];
  const scripts = [step.work, step.check?.work].flatMap((each) =>
    each?.kind === 'script' ? Object.values(each.script.variables) : [],
  );
  return [...templates.flatMap(treesOf), ...conditions, ...loops, ...scripts];
}

/** The messages of a sequence that fails after the step. */
function messagesOf(step: Step): Template[] {
  return targetsOf(step).flatMap(({ target }) =>
    target.to === 'fail' && target.message !== null ? [target.message] : [],
  );
}

function templatesIn(work: Work | Check['work']): readonly Template[] {
  switch (work.kind) {
    case 'agent':
    case 'role':
      return [work.instructions];
    case 'command':
      return work.argv;
    case 'gate':
      return [work.message];
    case 'workflow':
      return Object.values(work.with);
    case 'assign':
      return Object.values(work.values);
    case 'fail':
      return [work.message];
    case 'for-each':
      return work.key === undefined ? [] : [work.key];
    case 'route':
    case 'script':
    case 'merge':
    case 'land':
    case 'while':
    case 'finally':
      return [];
  }
}

/** Whether this is a single tree; a tree is not an array. */
export function isTree(items: Tree | readonly unknown[]): items is Tree {
  return !Array.isArray(items);
}

const noSteps: ReadonlySet<StepId> = new Set();

function statusesRead(tree: Tree, language: Language): ReadonlySet<StepId> {
  const { results } = language;
  const paths = referencesOf(tree, language).map(({ path }) => path.map(({ name }) => name));
  const statuses = paths.filter(
    ([namespace, , property]) =>
      namespace?.toLowerCase() === results?.namespace && property?.toLowerCase() === results?.status,
  );
  return new Set(statuses.flatMap(([, id]) => id ?? []));
}

/** The steps whose earlier iteration is read; null: it could be that of any step. */
function previousRead(trees: readonly Tree[], language: Language): ReadonlySet<StepId> | null {
  const found = new Set<StepId>();
  for (const { path } of trees.flatMap((tree) => referencesOf(tree, language))) {
    if (path[0]?.name?.toLowerCase() !== previousNamespace) continue;
    const id = path[2]?.name;
    if (id == null) return null;
    found.add(id);
  }
  return found;
}

function stepsRead(trees: readonly Tree[], language: Language): ReadonlySet<StepId> | null {
  const found = new Set<StepId>();
  for (const { path } of trees.flatMap((tree) => referencesOf(tree, language))) {
    if (path[0]?.name?.toLowerCase() !== language.results?.namespace) continue;
    const id = path[1]?.name;
    if (id == null) return null;
    found.add(id);
  }
  return found;
}
