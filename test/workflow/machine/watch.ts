import { scopesAround } from '../../../src/workflow/machine/fold/steps.ts';
import { scopeOf } from '../../../src/workflow/machine/path.ts';
import { pathOf } from '../../../src/expressions/references.ts';
import { nodesOf, type Tree } from '../../../src/expressions/tree.ts';
import type { Decision } from '../../../src/workflow/machine/decide.ts';
import type { RunEvent } from '../../../src/workflow/machine/event.ts';
import type { Workflow } from '../../../src/workflow/model.ts';
import type { Rules } from '../../../src/workflow/machine/rules.ts';
import type { RunState } from '../../../src/workflow/machine/state.ts';

/** Whether a condition reads `steps.<id>.status`. */
function readsStatus(condition: Tree | null, id: string): boolean {
  const nodes = condition === null ? [] : nodesOf(condition);
  return nodes.some(
    (node) =>
      pathOf(node)
        ?.map(({ name }) => name)
        .join('.') === `steps.${id}.status`,
  );
}

/** What must hold after every event, whatever happens; written from the specification, without the machine's own rules. */
export class Watch {
  readonly #definition: Workflow;
  /** Steps that ended well, until somebody asks for them again. */
  readonly #finished = new Set<string>();
  #closed = false;

  constructor(definition: Workflow) {
    this.#definition = definition;
  }

  before(state: RunState, event: RunEvent): void {
    if (event.type === 'retried' || event.type === 'reopened')
      this.#forget(event.type === 'reopened' ? event.steps : []);
    // A sub-workflow runs again from its first step.
    if (event.type === 'iterating') this.#forget([event.path]);
    if (event.type === 'resumed' || event.type === 'retried') this.#closed = false;
    if (event.type === 'started') {
      if (this.#finished.has(event.path)) throw new Error(`${event.path} has finished, and starts again`);
      const isLast = scopesAround(state, { scope: scopeOf(event.path) }).some((scope) => scope.isLast);
      if (state.ending !== null && !isLast) throw new Error(`${event.path} starts although the run ends`);
      this.#mayStart(state, event.path);
    }
    if (event.type === 'settled' && event.status === 'SUCCEEDED') this.#finished.add(event.path);
  }

  #forget(paths: readonly string[]): void {
    for (const path of paths)
      for (const done of this.#finished)
        if (done === path || done.startsWith(`${path}/`)) this.#finished.delete(done);
  }

  /** The table of who may run after whom, for steps of the run's own graph. */
  #mayStart(state: RunState, path: string): void {
    const { body } = this.#definition;
    const step = body.steps.find(({ id }) => id === path);
    if (!step || body.kind !== 'graph' || state.given?.only != null) return;
    if (step.join === 'any' || step.join === 'one_success') return;
    for (const { step: id } of step.needs) {
      const need = state.steps.get(id);
      const phase = need?.phase;
      if (phase?.is !== 'settled') throw new Error(`${path} starts before ${id} is settled`);
      const policy = body.steps.find((each) => each.id === id);
      if (step.join === 'all_done') continue;
      if (step.join === 'none_failed') {
        if (phase.status === 'FAILED') throw new Error(`${path} starts although ${id} failed`);
        continue;
      }
      const ok =
        phase.status === 'SUCCEEDED' ||
        phase.status === 'INCOMPLETE' ||
        (phase.status === 'FAILED' && policy?.onFailure === 'continue' && policy.work.kind !== 'gate') ||
        (phase.status === 'SKIPPED' &&
          (phase.skipped?.why === 'condition' || policy?.onFailure === 'skip') &&
          (policy?.work.kind !== 'gate' || readsStatus(step.when, id)));
      if (!ok) throw new Error(`${path} starts although ${id} is closed: ${phase.status}`);
    }
  }

  after(state: RunState, _rules: Rules): void {
    for (const path of state.active) {
      const phase = state.steps.get(path)?.phase.is;
      if (phase === undefined || phase === 'settled' || phase === 'pending')
        throw new Error(`${path} is active and ${phase ?? 'unknown'}`);
      if (state.ready.has(path)) throw new Error(`${path} is active and ready`);
    }
    if (state.endedAt === null) return;
    if (this.#closed) return;
    this.#closed = true;
    if (state.active.size + state.ready.size > 0) throw new Error('the run is over, and something is not');
  }

  /** What holds when nothing is to be recorded: the run is over, or something is waited for. */
  rest(state: RunState, { processes, wake }: Decision, slots: number): void {
    if (state.endedAt !== null) {
      if (processes.length > 0) throw new Error('the run is over, and a process is wanted');
      return;
    }
    if (processes.length > slots)
      throw new Error(`${String(processes.length)} processes of ${String(slots)}`);
    const { concurrency } = this.#definition;
    if (concurrency !== null && processes.length > concurrency) throw new Error('more at once than allowed');
    const asks = [...state.active].some((path) => state.steps.get(path)?.phase.is === 'asked');
    const waitsForPerson = asks || state.paused !== null;
    if (processes.length === 0 && wake === null && !waitsForPerson && state.given !== null)
      throw new Error(
        `nothing will ever happen: ${[...state.active].join(' ')} ready ${[...state.ready].join(' ')}`,
      );
  }
}
