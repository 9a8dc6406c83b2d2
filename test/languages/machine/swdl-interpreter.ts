/*
 * The semantics of the swdl language, said directly: stages on a virtual clock, without journal, state or lowering.
 */

export type Status = 'success' | 'failed' | 'timed_out' | 'skipped' | 'cancelled';
export type Policy = 'halt' | 'continue' | 'skip_dependents' | 'rollback';

/** A condition as it is meant; `written` has it as the language writes it. */
export type Condition =
  | { readonly stage: string; readonly is: Status }
  | { readonly stage: string; readonly output: 'n'; readonly equals: number }
  | { readonly not: Condition }
  | { readonly any: readonly [Condition, Condition] };

/** A stage as the generator means it. */
export interface Stage {
  readonly id: string;
  readonly needs: readonly string[];
  readonly condition: Condition | null;
  readonly work:
    | {
        readonly kind: 'agent';
        readonly reads: { readonly stage: string; readonly required: boolean } | null;
      }
    | {
        readonly kind: 'gate';
        readonly timeout: number;
        readonly onTimeout: 'halt' | 'auto_approve' | 'reject';
      }
    | { readonly kind: 'fan_out'; readonly items: number };
  readonly attempts: number;
  readonly interval: number;
  readonly never: readonly string[];
  readonly policy: Policy;
}

/** What an attempt of an agent comes to. */
export type End = { readonly n: number } | { readonly fails: 'busy' | 'no' | 'timeout' };
/** By the name of what runs (`a`, `a/0`) and how often it was started before. */
export type Script = (name: string, start: number) => End;

export interface Played {
  /** Every end of an attempt: what ran, and what its agent was told of another stage. */
  readonly trace: readonly string[];
  readonly status: 'success' | 'failed';
  readonly stages: Readonly<Record<string, Status>>;
}

type Phase =
  | { readonly is: 'pending' }
  /** An agent that starts once everything else of this moment is decided. */
  | { readonly is: 'ready' }
  | { readonly is: 'running' }
  | { readonly is: 'waiting'; readonly until: number }
  /** `own`: skipped by its own condition. */
  | { readonly is: 'settled'; readonly status: Status; readonly closes: boolean; readonly own: boolean };

/** A stage, or an item of one, in the run. */
interface Unit {
  readonly name: string;
  readonly stage: Stage;
  starts: number;
  phase: Phase;
  n: number | null;
}

/** Plays a file to its end. Of what runs, what stands first in the file ends first; time passes when nothing runs. */
export class Interpreter {
  readonly #trace: string[] = [];
  readonly #units: readonly Unit[];
  readonly #items = new Map<Unit, Unit[]>();
  /** How the first item of a stage failed. */
  readonly #blamed = new Map<Unit, Status>();
  readonly #script: Script;
  #now = 0;
  #halted = false;

  constructor(stages: readonly Stage[], script: Script) {
    this.#script = script;
    this.#units = stages.map((stage) => unit(stage.id, stage));
  }

  play(): Played {
    while (!this.#units.every(isSettled)) {
      this.#consider();
      const running = this.#working().find(({ phase }) => phase.is === 'running');
      if (running) this.#end(running);
      else this.#wait();
    }
    const failed = this.#units.some(
      ({ phase, stage }) =>
        phase.is === 'settled' &&
        (phase.status === 'failed' || phase.status === 'timed_out') &&
        (stage.work.kind === 'gate' || stage.policy !== 'continue'),
    );
    const stages = this.#units.map(({ name, phase }) => [name, statusIn(phase)] as const);
    return {
      trace: this.#trace,
      status: failed ? 'failed' : 'success',
      stages: Object.fromEntries(stages) as Record<string, Status>,
    };
  }

  /** What an agent does, in the order of the file. */
  #working(): Unit[] {
    return this.#units.flatMap((each) => this.#items.get(each) ?? [each]);
  }

  /** Starts, skips and settles what can be, until nothing more can. */
  #consider(): void {
    for (let changed = true; changed;) {
      changed = false;
      for (const each of this.#units) changed = this.#considered(each) || changed;
      changed ||= this.#startsReady();
    }
  }

  /** Starts the agents that are ready, unless one of them lacks a required input and halts the run. */
  #startsReady(): boolean {
    const ready = this.#units.filter(({ phase }) => phase.is === 'ready');
    const failing = ready.filter((each) => this.#lacksInput(each));
    for (const each of failing) each.phase = failure(each, 'failed');
    if (failing.some(({ stage }) => isHalting(stage))) this.#halt();
    else for (const each of ready) if (!isSettled(each)) each.phase = { is: 'running' };
    return ready.length > 0;
  }

  #lacksInput({ stage: { work } }: Unit): boolean {
    return work.kind === 'agent' && work.reads?.required === true && this.#read(work.reads.stage) === null;
  }

  #considered(each: Unit): boolean {
    const items = this.#items.get(each);
    if (each.phase.is === 'running' && items?.every(isSettled) === true) {
      const blamed = this.#blamed.get(each);
      if (blamed === undefined) each.phase = settled('success', false);
      else this.#fail(each, blamed);
      return true;
    }
    const needs = each.stage.needs.map((need) => this.#unit(need));
    if (each.phase.is !== 'pending' || !needs.every(isSettled)) return false;
    const { work } = each.stage;
    if (needs.some((need) => this.#closes(need, each.stage.condition))) each.phase = settled('skipped', true);
    else if (each.stage.condition !== null && !this.#holds(each.stage.condition))
      each.phase = { ...settled('skipped', work.kind === 'gate'), own: true };
    else if (work.kind === 'gate') each.phase = { is: 'waiting', until: this.#now + work.timeout };
    else if (work.kind === 'fan_out') this.#expand(each, work.items);
    else each.phase = { is: 'ready' };
    return true;
  }

  /** A gate that was skipped for its own condition leaves it to a condition that reads its status. */
  #closes({ name, phase, stage }: Unit, condition: Condition | null): boolean {
    if (phase.is !== 'settled' || !phase.closes) return false;
    const unasked = stage.work.kind === 'gate' && phase.status === 'skipped' && phase.own;
    return !(unasked && condition !== null && readsStatus(condition, name));
  }

  #expand(each: Unit, count: number): void {
    each.phase = { is: 'running' };
    const items = Array.from({ length: count }, (_none, index) => unit(`${each.name}/${index}`, each.stage));
    for (const item of items) item.phase = { is: 'running' };
    this.#items.set(each, items);
  }

  #end(each: Unit): void {
    const { work, attempts, interval, never } = each.stage;
    const told = work.kind === 'agent' && work.reads !== null ? this.#read(work.reads.stage) : null;
    const end = this.#script(each.name, each.starts++);
    this.#trace.push(`${each.name} ${told === null ? '-' : String(told)}`);
    if ('n' in end) {
      each.n = end.n;
      each.phase = settled('success', false);
      return;
    }
    if (each.starts < attempts && !never.includes(end.fails)) {
      each.phase = { is: 'waiting', until: this.#now + interval * 2 ** (each.starts - 1) };
      return;
    }
    const status = end.fails === 'timeout' ? 'timed_out' : 'failed';
    const owner = [...this.#items].find(([, items]) => items.includes(each))?.[0];
    if (owner === undefined) return this.#fail(each, status);
    each.phase = settled(status, true);
    if (!this.#blamed.has(owner)) this.#blamed.set(owner, status);
    if (isHalting(each.stage)) this.#fail(owner, status);
  }

  /** A stage has failed for good. */
  #fail(each: Unit, status: Status): void {
    each.phase = failure(each, status);
    if (isHalting(each.stage)) this.#halt();
  }

  #halt(): void {
    this.#halted = true;
    for (const each of this.#units)
      if (!isSettled(each)) each.phase = settled(isBegun(each) ? 'cancelled' : 'skipped', true);
    this.#items.clear();
  }

  /** Goes to the next instant at which anything happens. */
  #wait(): void {
    const waiting = this.#working().filter(({ phase }) => phase.is === 'waiting');
    if (waiting.length === 0) return;
    const until = (each: Unit) => (each.phase.is === 'waiting' ? each.phase.until : Infinity);
    this.#now = Math.min(...waiting.map(until));
    for (const each of waiting.filter((other) => until(other) === this.#now)) {
      const { work } = each.stage;
      if (this.#halted) return;
      if (work.kind !== 'gate') each.phase = { is: 'running' };
      else if (work.onTimeout === 'auto_approve') each.phase = settled('success', false);
      else {
        each.phase = settled('timed_out', true);
        if (work.onTimeout === 'halt') this.#halt();
      }
    }
  }

  #unit(id: string): Unit {
    return this.#units.find(({ name }) => name === id)!;
  }

  #read(id: string): number | null {
    const each = this.#unit(id);
    return statusIn(each.phase) === 'success' ? each.n : null;
  }

  #holds(condition: Condition): boolean {
    if ('not' in condition) return !this.#holds(condition.not);
    if ('any' in condition) return condition.any.some((each) => this.#holds(each));
    if ('is' in condition) return statusIn(this.#unit(condition.stage).phase) === condition.is;
    return this.#read(condition.stage) === condition.equals;
  }
}

function unit(name: string, stage: Stage): Unit {
  return { name, stage, starts: 0, phase: { is: 'pending' }, n: null };
}

/** Whether its failure ends the run. */
function isHalting({ work, policy }: Stage): boolean {
  return work.kind !== 'gate' && (policy === 'halt' || policy === 'rollback');
}

/** A gate is closed by its timeout, see `#wait`; other stages by their policy. */
function failure({ stage }: Unit, status: Status): Phase {
  return settled(status, stage.policy === 'skip_dependents');
}

function settled(status: Status, closes: boolean): Extract<Phase, { is: 'settled' }> {
  return { is: 'settled', status, closes, own: false };
}

function readsStatus(condition: Condition, stage: string): boolean {
  if ('not' in condition) return readsStatus(condition.not, stage);
  if ('any' in condition) return condition.any.some((each) => readsStatus(each, stage));
  return 'is' in condition && condition.stage === stage;
}

function isBegun({ phase }: Unit): boolean {
  return phase.is !== 'pending' && phase.is !== 'ready';
}

function isSettled({ phase }: Unit): boolean {
  return phase.is === 'settled';
}

function statusIn(phase: Phase): Status | null {
  return phase.is === 'settled' ? phase.status : null;
}
