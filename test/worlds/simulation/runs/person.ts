import type { Happening } from '../../../../src/workflow/machine/event.ts';
import { refusal } from '../../../../src/workflow/machine/commands.ts';
import { sealed } from '../../../../src/host/seal.ts';
import { compile } from '../../../../src/workflow/machine/rules.ts';
import { runControlFolder } from '../../../../src/workflow/files/run-folders.ts';
import { explanations } from '../../../workflow/machine/unexplained.ts';
import type { RunWorld } from './world.ts';

/** What people do to a run while it goes on. */
export class Person {
  readonly #world: RunWorld;

  constructor(world: RunWorld) {
    this.#world = world;
  }

  #asked(): string[] {
    const { state } = this.#world;
    return [...(state?.active ?? [])].filter((path) => state?.steps.get(path)?.phase.is === 'asked');
  }

  /** Does what `why` says of the run and of each step that has not ended. False: it says nothing to do. */
  follow(): boolean {
    const { process, rules, neighbours, timeline } = this.#world;
    if (process === null) return false;
    const { state } = process.host;
    const gates = new Set<string>();
    let isPaused = false;
    let isWaiting = false;
    const whys = explanations(state, rules, timeline.now, neighbours.left, neighbours.agents);
    for (const { act, code } of whys.values()) {
      if (act?.do === 'approve') gates.add(act.path);
      if (act?.do === 'unpause') isPaused = true;
      if (code === 'slots_taken') isWaiting = true;
    }
    if (isWaiting) neighbours.end();
    if (isPaused) this.request('unpause', '', 'ada');
    for (const gate of gates) {
      const phase = state.steps.get(gate)?.phase;
      const isRequired = phase?.is === 'asked' && phase.fields['risk'] !== undefined;
      this.request('approve', gate, 'ada', isRequired ? { fields: { risk: 'low' } } : {});
    }
    return isPaused || isWaiting || gates.size > 0;
  }

  /**
   * Judges a gate: rightly, by a wrong name, as somebody who may not, with what it does not ask for,
   * twice, or long ago.
   */
  judge(): void {
    const { random, state } = this.#world;
    const gate = random.pick([...this.#asked(), ...(state?.steps.keys() ?? []), 'nothing']);
    const by = random.pick(['ada', 'ada', 'bob']);
    const choice = random.pick([null, null, 'changes', 'nonsense']);
    const fields = random.pick([{}, {}, { risk: 'high' }, { risk: 'none' }, { other: 1 }]);
    this.request(random.pick(['approve', 'approve', 'approve', 'reject']), gate, by, { choice, fields });
    if (random.chance(0.2)) this.request(random.pick(['approve', 'reject']), gate, by);
  }

  /** Ends the run, or a newer one takes its place. */
  cancel(): void {
    const isReplaced = this.#world.random.chance(0.5);
    this.request('cancel', '', 'ada', isReplaced ? { newer: this.#world.newId() } : {});
  }

  /** Pauses the run, or lets it go on, whichever it is now. */
  pause(): void {
    this.request(this.#world.random.pick(['pause', 'unpause']), '', 'ada');
  }

  /** Has a step that failed tried again, by whoever goes on with the run. */
  retry(): void {
    const failed = this.#failed();
    if (failed.length > 0) this.request('retry', this.#world.random.pick(failed), 'ada');
  }

  #failed(): string[] {
    const steps = [...(this.#world.state?.steps.values() ?? [])];
    return steps
      .filter(({ phase }) => phase.is === 'settled' && ['FAILED', 'CANCELLED'].includes(phase.status))
      .map(({ path }) => path);
  }

  /** What `retry` of a run that nobody goes on with does at the start; null: nothing failed. */
  static retrying(world: RunWorld, last: RunWorld['state']): Happening | null {
    const at = world.timeline.now;
    const rules = compile(world.workflow);
    const failed = [...(last?.steps.keys() ?? [])].filter(
      (path) =>
        last !== null &&
        refusal(last, rules, { verb: 'retry', path, by: 'ada', choice: null, fields: {}, at }) === null,
    );
    return failed.length === 0
      ? null
      : { type: 'retried', path: world.random.pick(failed), instructions: null, by: 'ada', command: null };
  }

  request(verb: string, path: string, by: string, answer: object = {}): void {
    const world = this.#world;
    const id = world.newId();
    const at = world.timeline.now;
    const document = { id, at, by, verb, path, comment: null, instructions: null, ...answer };
    const file = `${runControlFolder(world.run)}/${id}.json`;
    world.disk.plant(`project/${file}`, sealed(world.project, file, JSON.stringify(document)));
    if (world.calm || !world.random.chance(world.chaos.lostHint))
      world.timeline.later(world.random.below(50), () => world.process?.hint());
  }
}
