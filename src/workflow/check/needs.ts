import { isOneEnough } from '../flow.ts';
import type { StepId } from '../model.ts';
import type { Graph } from './body.ts';
import { field, type CheckReport } from './report.ts';

/** How many steps of a cycle are shown; below, how many cycles are searched. */
const shown = 12;
const most = 50;

/**
 * Checks that every needed step exists, and none needs itself. `over`: they run finally. Returns a
 * topological order; null: there is a cycle.
 */
export function checkNeeds(report: CheckReport, graph: Graph, over = false): readonly number[] | null {
  const { broken } = report.context;
  const known = new Lazy(() => graph.names());
  const last = graph.steps.at(-1);
  for (const step of graph.steps) {
    const seen = new Set<StepId>();
    for (const [index, need] of step.needs.entries()) {
      const at = field(step.needs, index);
      // One of several edges with conditions may suffice.
      if (seen.has(need.step) && (!isOneEnough(step.join) || need.when === null))
        report.add('E_DUPLICATE', 'warning', at, `\`${need.step}\` is named twice`, null);
      seen.add(need.step);
      const isLast = last?.work.kind === 'finally' && last.id === need.step;
      if ((graph.has(need.step) && !isLast) || broken.has(need.step)) continue;
      const others = known.value().filter((id) => id !== step.id);
      const message = unknownStep(report, graph, need.step);
      if (others.length > 0) report.unknownStep(at, message, need.step, others, over);
      else report.add('E_UNKNOWN_NAME', 'error', at, message, 'there is no other step here');
    }
  }
  return orderOf(report, graph);
}

class Lazy<T> {
  #made: T | null = null;
  readonly #make: () => T;

  constructor(make: () => T) {
    this.#make = make;
  }

  value(): T {
    this.#made ??= this.#make();
    return this.#made;
  }
}

/**
 * A step of a loop depends on steps of that loop; the loop itself depends on those before it. What
 * runs finally comes after all others.
 */
function unknownStep(report: CheckReport, graph: Graph, id: StepId): string {
  for (let outer = graph.parent; outer !== null; outer = outer.graph.parent)
    if (outer.graph.has(id) && outer.graph.steps[outer.step]!.work.kind === 'finally')
      return `\`${id}\` is over when steps of \`finally\` begin`;
    else if (outer.graph.has(id))
      return `\`${id}\` is outside the loop: let \`${outer.graph.steps[outer.step]!.id}\` depend on it`;
  return `no ${report.vocabulary.step} is called \`${id}\``;
}

/**
 * A topological order. Reports every cycle with its path, unless it shares a step with a reported
 * one.
 */
function orderOf(report: CheckReport, graph: Graph): readonly number[] | null {
  const order: number[] = [];
  const state = new Uint8Array(graph.steps.length);
  const depths = new Int32Array(graph.steps.length);
  const reported = new Set<number>();
  let cycles = 0;
  for (let start = 0; start < graph.steps.length; start += 1) {
    if (state[start] !== 0) continue;
    const path = [{ step: start, next: 0 }];
    state[start] = 1;
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const need = graph.needs[last.step]![last.next++];
      if (need === undefined) {
        state[last.step] = 2;
        order.push(last.step);
        path.pop();
      } else if (state[need] === 0) {
        state[need] = 1;
        depths[need] = path.push({ step: need, next: 0 }) - 1;
      } else if (state[need] === 1) {
        cycles += 1;
        if (cycles > most) continue;
        const cycle = path.slice(depths[need]).map(({ step }) => step);
        if (cycle.every((step) => !reported.has(step))) reportCycle(report, graph, cycle);
        for (const step of cycle) reported.add(step);
      }
    }
  }
  return cycles === 0 ? order : null;
}

function reportCycle(report: CheckReport, graph: Graph, cycle: readonly number[]): void {
  // That a step waits for what runs finally is reported.
  if (cycle.some((step) => graph.steps[step]!.work.kind === 'finally')) return;
  const last = graph.steps[cycle.at(-1)!]!;
  const first = graph.steps[cycle[0]!]!;
  const index = last.needs.findIndex((need) => need.step === first.id);
  const at = field(last.needs, index);
  if (cycle.length === 1) return report.error(at, `\`${first.id}\` depends on itself`, null);
  const ids = [...cycle, cycle[0]!].map((step) => graph.steps[step]!.id);
  const path = ids.length <= shown ? ids : [...ids.slice(0, shown / 2), '…', ...ids.slice(-shown / 2)];
  report.error(
    at,
    `these ${report.vocabulary.step}s wait for each other: ${path.join(' → ')}`,
    report.vocabulary.hints.cycle,
  );
}
