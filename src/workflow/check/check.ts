import type { Tree } from '../../expressions/tree.ts';
import { neverBegins } from '../first-condition.ts';
import { waysOf } from '../flow.ts';
import type { Body, Workflow } from '../model.ts';
import { Graph, unreachedIn } from './body.ts';
import { checkCommand, checkTemplate, checkTree } from './expressions.ts';
import { checkDeputies } from './deputies.ts';
import type { Here } from './meaning.ts';
import { checkNeeds } from './needs.ts';
import { field, whole, CheckReport, type CheckContext, type Problem } from './report.ts';
import { checkMessage, checkRole, checkStep } from './step.ts';

export type { CheckContext, Problem } from './report.ts';

/**
 * Finds what cannot work in a well-formed workflow of any language: undefined names, steps that
 * wait for each other, expressions that read absent or unsuitable values. Does not look inside
 * sub-workflows. Linear in the size of the definition.
 */
export function checkWorkflow(workflow: Workflow, context: CheckContext): Problem[] {
  const report = new CheckReport(workflow, context);
  const before: Here = { report, place: null, items: new Set() };
  for (const template of [...Object.values(workflow.env), ...Object.values(workflow.context)])
    checkTemplate(template, before);
  for (const trigger of workflow.triggers)
    if (trigger.kind === 'message') checkMessage(trigger.role, trigger.type, trigger, report);
  const graph = checkBody(report, workflow.body, null, new Set());
  for (const hook of workflow.hooks) {
    const here: Here = hook.on === 'start' ? before : { ...before, place: { graph, step: -1 }, over: true };
    checkCommand(hook.run ?? [], here);
    for (const template of [hook.tell?.target, hook.tell?.words])
      if (template !== undefined) checkTemplate(template, here);
    if (hook.notify !== null) checkRole(hook.notify, field(hook, 'notify'), report);
  }
  checkDeputies(report);
  return report.problems;
}

function checkBody(
  report: CheckReport,
  body: Body,
  parent: Graph['parent'],
  items: ReadonlySet<string>,
  over?: true,
): Graph {
  const graph = new Graph(body.steps, parent);
  const order = checkNeeds(report, graph, over);
  for (const [index, step] of graph.steps.entries()) {
    checkStep(step, { report, place: { graph, step: index }, items, ...(over && { over }) });
    if (step.work.kind === 'finally') checkBody(report, step.work.body, { graph, step: index }, items, true);
    if (step.work.kind !== 'for-each' && step.work.kind !== 'while') continue;
    const item = step.work.kind === 'for-each' ? ['item', step.work.as.toLowerCase()] : [];
    const inner = new Set([...items, 'loop', ...item]);
    const inside = checkBody(report, step.work.body, { graph, step: index }, inner, over);
    if (step.work.kind === 'while') {
      const { condition } = step.work;
      checkTree(condition, condition, { report, place: { graph: inside, step: -1 }, items: inner });
      checkFirst(report, condition, inside);
    }
  }
  if (report.context.isOrderUnknown) return graph;
  if (body.kind === 'sequence') graph.answerAlong(waysOf(body));
  else graph.answer(order);
  checkReached(report, body);
  return graph;
}

/** Warns of a loop that has no iteration. */
function checkFirst(report: CheckReport, condition: Tree, inside: Graph): void {
  const { language } = report.context;
  // It could not be read: that is reported.
  if (condition.kind === 'literal' && condition.value === null) return;
  const isNamed = (graph: Graph | undefined, name: string) =>
    graph?.named(name, language.comparing === 'loose') != null;
  const isOwn = (name: string) => {
    for (let around = inside.parent; around !== null; around = around.graph.parent)
      if (isNamed(around.graph, name)) return false;
    return isNamed(inside, name);
  };
  if (neverBegins(condition, isOwn, language))
    report.expressionWarning(
      whole(condition),
      'the loop never runs: before its first iteration this condition is false',
      'its steps have no results then, and what they lack is null: compare so that null continues the loop',
    );
}

/** After an error nothing is reported as unreachable: a misspelt transition may be the cause. */
function checkReached(report: CheckReport, body: Body): void {
  if (report.context.hasErrors || report.problems.some(({ severity }) => severity === 'error')) return;
  for (const step of unreachedIn(body))
    report.add(
      'E_WORKFLOW',
      'warning',
      whole(step),
      `no transition leads to \`${step.id}\``,
      'the first step begins; the others need a transition that names them',
    );
}
