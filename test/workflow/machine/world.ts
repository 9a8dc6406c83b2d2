import type { ErrorClass, ErrorCode } from '../../../src/kernel/errors.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { apply } from '../../../src/workflow/machine/apply.ts';
import { decide, type Decision } from '../../../src/workflow/machine/decide.ts';
import type { Fact, RunStart, Happening, ProcessKey, RunEvent } from '../../../src/workflow/machine/event.ts';
import type { Verdict, ChangedFiles, WorkResult } from '../../../src/workflow/machine/work-result.ts';
import type { Workflow } from '../../../src/workflow/model.ts';
import { launchOf } from '../../../src/workflow/machine/resolve.ts';
import { compile, type Rules } from '../../../src/workflow/machine/rules.ts';
import { emptyRunState, type RunState } from '../../../src/workflow/machine/state.ts';
import { statusOf } from '../../../src/workflow/machine/view.ts';
import { decode, encode } from '../../../src/disk/codec.ts';
import { graph, workflow } from './graph.ts';
import { unexplained } from './unexplained.ts';
import { Watch } from './watch.ts';

export const start = Date.UTC(2026, 0, 1, 12);

export interface WorldOptions {
  readonly given?: Partial<RunStart>;
  readonly workflow?: Partial<Workflow>;
  readonly slots?: number;
  /** Those of the slots that agents may have. */
  readonly agents?: number;
  /** False: nothing is checked after each event, for tests with very many. */
  readonly watched?: boolean;
  /** Those that are there at the beginning. */
  readonly files?: readonly string[];
}

export interface Ends {
  readonly values?: Readonly<Record<string, Json>>;
  readonly artifacts?: readonly string[];
  readonly usd?: number;
  readonly tokens?: number;
  readonly output?: string;
  readonly changed?: ChangedFiles;
}

export interface Fails extends Ends {
  readonly class?: ErrorClass;
  readonly text?: string;
  readonly until?: number;
  readonly timedOut?: boolean;
  readonly code?: ErrorCode;
  readonly reported?: string | null;
}

/** Runs with more bodies are for tests of effort: not every step of theirs is explained after each event. */
const manyBodies = 50;

/** More rounds of deciding than any test needs. */
const mostRounds = 200_000;

/**
 * The workflow machine with a virtual clock and nothing around it: steps end as the test says, and what always holds is
 * checked after every event.
 */
export class World {
  readonly rules: Rules;
  readonly history: RunEvent[] = [];
  /** What was decided at one time, until nothing was left to decide: from one length of the history to another. */
  readonly decided: { readonly from: number; readonly to: number; readonly now: number }[] = [];
  state: RunState = emptyRunState();
  now = start;
  decision: Decision = { facts: [], processes: [], looks: [], wake: null };
  /** The files that are there. */
  readonly files = new Set<string>();
  readonly #slots: number;
  readonly #agents: number;
  readonly #watch: Watch | null;

  constructor(
    text: string | Workflow,
    {
      given = {},
      slots = Infinity,
      agents = Infinity,
      watched = true,
      files = [],
      ...rest
    }: WorldOptions = {},
  ) {
    const definition = typeof text === 'string' ? workflow(graph(text), rest.workflow) : text;
    this.rules = compile(definition);
    for (const file of files) this.files.add(file);
    this.#slots = slots;
    this.#agents = agents;
    this.#watch = watched ? new Watch(definition) : null;
    this.record({
      type: 'began',
      given: {
        run: 'r1',
        workflow: definition.name,
        version: '1',
        language: 'native',
        parameters: {},
        context: {},
        trigger: null,
        env: {},
        budget: definition.budget,
        timeout: definition.timeout,
        only: null,
        currency: null,
        checkpoint: null,
        ...given,
      },
    });
    this.settle();
  }

  record(happening: Fact | Happening): void {
    const event: RunEvent = { ...happening, at: this.now };
    this.history.push(event);
    this.#watch?.before(this.state, event);
    this.state = apply(this.state, event);
    this.#watch?.after(this.state, this.rules);
  }

  /** Records what is decided until nothing is. */
  settle(): void {
    const { now } = this;
    const from = this.history.length;
    for (let round = 0; round < mostRounds; round += 1) {
      this.decision = decide(this.state, this.rules, this.now, {
        agents: this.#agents,
        processes: this.#slots,
      });
      const { facts, looks } = this.decision;
      if (facts.length === 0 && looks.length === 0) {
        this.decided.push({ from, to: this.history.length, now });
        this.#watch?.rest(this.state, this.decision, this.#slots);
        return this.#watch === null || this.state.scopes.size > manyBodies ? undefined : this.#explain();
      }
      if (facts.length === 0)
        for (const look of looks) {
          const answer = look.asks === 'glob' ? [...this.files].toSorted() : this.files.has(look.file);
          this.record({ type: 'looked', ...look, answer, problem: null });
        }
      for (const fact of this.decision.facts) this.record(fact);
    }
    throw new Error('deciding does not come to an end');
  }

  #explain(): void {
    const slots = { agents: this.#agents, processes: this.#slots };
    const silent = unexplained(this.state, this.rules, this.now, slots);
    if (silent.length > 0) throw new Error(silent.join('\n'));
  }

  /** The run as a journal that ends with these events leaves it: nobody has decided anything since. */
  rewind(history: readonly RunEvent[]): void {
    this.history.splice(0, Infinity, ...history);
    this.state = history.reduce((state, event) => apply(state, copy(event)), emptyRunState());
    this.now = this.state.now;
  }

  happens(happening: Happening): void {
    this.record(happening);
    this.settle();
  }

  /** Processes that should be running: `a`, and `a?` for a check. */
  get running(): string[] {
    return this.decision.processes.map(({ key }) => (key.check > 0 ? `${key.path}?` : key.path));
  }

  key(name: string): ProcessKey {
    const path = name.replace(/\?$/, '');
    const found = this.decision.processes.find(
      ({ key }) => key.path === path && key.check > 0 === name.endsWith('?'),
    );
    if (!found) throw new Error(`${name} is not running: ${this.running.join(' ')}`);
    return found.key;
  }

  launch(name: string) {
    return launchOf(this.state, this.rules, this.key(name));
  }

  done(name: string, ends: Ends = {}): void {
    this.happens({ type: 'ended', key: this.key(name), result: result({ is: 'done' }, ends) });
  }

  /** Several ends, in this order. */
  allDone(...names: string[]): void {
    for (const name of names) this.done(name);
  }

  fails(name: string, fails: Fails = {}): void {
    this.happens({ type: 'ended', key: this.key(name), result: failure(fails) });
  }

  checked(name: string, verdict: Verdict, worked = result({ is: 'done' }, {})): void {
    this.happens({ type: 'checked', key: this.key(`${name}?`), result: worked, verdict });
  }

  complete(name: string): void {
    this.checked(name, { is: 'complete' });
  }

  incomplete(name: string, reasons: string[] = ['more'], fingerprints: string[] = []): void {
    this.checked(name, { is: 'incomplete', reasons, fingerprints, log: null });
  }

  judge(
    path: string,
    choice: string,
    said = this.now,
    more: Partial<Pick<Extract<Happening, { type: 'judged' }>, 'comment' | 'fields'>> = {},
  ): void {
    const { comment = null, fields = {} } = more;
    this.happens({ type: 'judged', path, choice, by: 'ada', comment, fields, said, command: null });
  }

  /** Time passes; on the way everything is woken that wants to be. */
  pass(milliseconds: number): void {
    const until = this.now + milliseconds;
    for (let wake = this.decision.wake; wake !== null && wake <= until; wake = this.decision.wake) {
      this.now = wake;
      this.settle();
    }
    this.now = until;
    this.settle();
  }

  /** The host dies, and another goes on with what was written: that it folds to the same is a test of its own. */
  crash(by: 'person' | 'up' = 'person'): void {
    this.state = structuredClone(this.state);
    this.happens({ type: 'resumed', by });
  }

  status(path: string): string {
    return statusOf(this.state, path);
  }

  /** `a SUCCEEDED, b FAILED`: every step of the run's own body. */
  get statuses(): string {
    return [...this.rules.root.steps.keys()].map((id) => `${id} ${this.status(id)}`).join(', ');
  }
}

export function copy<T>(value: T): T {
  return decode(JSON.parse(JSON.stringify(encode(value)))) as T;
}

export function result(outcome: WorkResult['outcome'], ends: Ends): WorkResult {
  return {
    outcome,
    exitCode: outcome.is === 'done' ? 0 : 1,
    output: ends.output ?? '',
    values: ends.values ?? {},
    artifacts: (ends.artifacts ?? []).map((name) => ({ name, path: `${name}/${name}.txt`, type: null })),
    usage: { usd: ends.usd ?? 0, tokens: ends.tokens ?? 0 },
    session: null,
    model: null,
    durationMs: 1,
    warnings: [],
    changed: ends.changed ?? null,
    commit: null,
  };
}

export function failure(fails: Fails = {}): WorkResult {
  const {
    class: errorClass = 'RETRYABLE_TRANSIENT',
    text = 'it broke',
    until = null,
    timedOut = false,
    reported = null,
    code = timedOut ? 'E_TIMEOUT' : 'E_STEP',
  } = fails;
  const reason = { code, text };
  return result({ is: 'failed', class: errorClass, reason, reported, until, timedOut }, fails);
}
