import { parkedUntil } from '../../../kernel/usage-limits.ts';
import { listed } from '../../../kernel/enumerate.ts';
import {
  because,
  due,
  failureCode,
  noAgents,
  through,
  type HeldReasons,
  type OtherAgents,
  type Why,
} from '../../../kernel/why.ts';
import { falseConditions, wayTaken } from './conditions.ts';
import { clockNow } from '../clock.ts';
import { isEnding, isFinishing, type DecisionContext, type Slots } from '../decide/context.ts';
import { Room } from '../decide/room.ts';
import { heldBack, type Hold } from '../decide/starts.ts';
import type { Ending, StepPath, SkipReason } from '../event.ts';
import { isIn, type In } from '../fold/steps.ts';
import type { Approval, Step } from '../../model.ts';
import { pathIn, scopeOf } from '../path.ts';
import { workerOf } from '../resolve.ts';
import type { Rules } from '../rules.ts';
import { endReason, limitReached, type Limit } from '../end-reason.ts';
import { entered, findStep, firstFailed, type StepVisit } from '../scope.ts';
import type { RunState, StepRun } from '../state.ts';
import { skipText } from '../view.ts';

/** What a person can do so that a run moves. */
export type RunAct =
  | {
      readonly do: 'approve';
      readonly path: StepPath;
      readonly gate: Pick<Approval, 'approvers' | 'choices' | 'fields'>;
    }
  | { readonly do: 'retry-step'; readonly path: StepPath }
  /** `raises`: a limit in the file of the workflow, first; null: nothing. */
  | { readonly do: 'resume'; readonly raises: Limit | null }
  | { readonly do: 'unpause' };

export type RunWhy = Why<RunAct>;

const anySlots: Slots = { agents: Infinity, processes: Infinity };

/** Why a run and its steps move or do not, by the rules that `decide` follows. Pure. */
export class RunExplainer {
  readonly #context: DecisionContext;
  readonly #room: Room;
  readonly #others: OtherAgents;
  readonly #faults: HeldReasons;

  /**
   * `slots`: those that others in the same process leave; `others`: their agents; `faults`: of the
   * steps that wait for the machine.
   */
  constructor(
    state: RunState,
    rules: Rules,
    clock: number,
    slots: Slots = anySlots,
    others = noAgents,
    faults: HeldReasons = new Map(),
  ) {
    this.#context = { state, rules, now: Math.max(clock, state.now), slots };
    this.#room = new Room(this.#context);
    this.#others = others;
    this.#faults = faults;
  }

  run(): RunWhy {
    const { state, rules } = this.#context;
    if (state.endedAt !== null) return ended(state, state.endedAt);
    if (state.ending !== null && !isFinishing(state, rules.root, '')) return endingWhy(state, state.ending);
    const paths = [...state.active, ...state.ready].filter((path) => !isIn(state.steps.get(path), 'open'));
    const running = paths.filter((path) => isIn(state.steps.get(path), 'running', 'checking'));
    const first = running.find((path) => !this.#faults.has(path)) ?? running[0];
    if (first === undefined) return held(paths.map((path) => this.#known(path))) ?? due('the run continues');
    const why = this.#known(first);
    const more = running.length - 1;
    return more === 0 ? why : { ...why, reason: `${why.reason}, and ${String(more)} more` };
  }

  /** A step by its path; null: the definition has no such step. */
  step(path: StepPath): RunWhy | null {
    const { state, rules } = this.#context;
    if (findStep(state, rules, path) !== null) return this.#known(path);
    if (!isDefined(rules, path)) return null;
    const around = scopeOf(path);
    const inner = findStep(state, rules, around) === null ? this.step(scopeOf(around)) : this.#known(around);
    return through('needs', `${path} begins with what it is part of`, inner);
  }

  #known(path: StepPath): RunWhy {
    const { state, rules } = this.#context;
    const visit = findStep(state, rules, path);
    const run = state.steps.get(path);
    if (isIn(run, 'settled')) return this.#settled(run, visit);
    if (visit === null) return due(`${path} continues`);
    const isLast = visit.rule === visit.rule.body.last;
    if (!isLast && isEnding(state, visit.scope)) return endingWhy(state, state.ending ?? visit.scope.ending);
    if (run === undefined || isIn(run, 'pending'))
      return state.ready.has(path) ? this.#start(visit) : this.#needs(visit);
    return this.#active(visit, run);
  }

  #active(visit: StepVisit, run: StepRun): RunWhy {
    const { path, phase } = run;
    const fault = this.#faults.get(path);
    if (fault !== undefined) return because('host_problem', fault, { cause: causeOf(path, phase) });
    switch (phase.is) {
      case 'running':
        return this.#running(visit, run as In<'running'>);
      case 'checking':
        return because('checking', `the check of ${path} runs`, { cause: { record: path, at: phase.since } });
      case 'waiting':
      case 'check-waiting':
        return this.#start(visit);
      case 'asked':
        return asked(run as In<'asked'>);
      case 'open':
        return this.#inside(visit, run);
      case 'ended':
        return this.#room.afford(visit.scope, visit.rule.step.check?.budget ?? null) === 'later'
          ? this.#hold('budget', visit)
          : due(`${path} has ended`);
      case 'checked':
      case 'judged':
      case 'looking':
      case 'pending':
      case 'settled':
        return due(`${path} continues`);
      default:
        return phase satisfies never;
    }
  }

  #running({ rule }: StepVisit, { path, phase, role }: In<'running'>): RunWhy {
    const cause = { record: path, at: phase.since };
    const { work } = rule.step;
    if (phase.launched !== null) return onWorkerWhy(rule.step, path, phase, cause);
    if (work.kind !== 'role') return because('running', `${path} runs`, { cause });
    const name = role ?? work.role;
    if (phase.waits)
      return because('waiting_for_answer', `${name}, who does ${path}, waits for others`, { cause });
    return because('running', `${name} does ${path}`, { cause });
  }

  /** A step that only waits to start. */
  #start(visit: StepVisit): RunWhy {
    const hold = heldBack(this.#context, this.#room, visit);
    return hold === null ? due(`nothing holds ${visit.path} back`) : this.#hold(hold, visit);
  }

  #hold(hold: Hold, visit: StepVisit): RunWhy {
    const { state, now } = this.#context;
    const { path, rule, scope } = visit;
    const run = state.steps.get(path);
    const { max } = rule.step.retry;
    const notBefore = isIn(run, 'waiting', 'check-waiting') ? run.phase.notBefore : null;
    switch (hold) {
      case 'paused': {
        const { by, at } = state.paused ?? { by: '', at: 0 };
        return because(hold, `the run is paused by ${by}`, {
          cause: { record: by, at },
          act: { do: 'unpause' },
        });
      }
      case 'backoff': {
        const failure = run?.result?.outcome.is === 'failed' ? `: ${run.result.outcome.reason.text}` : '';
        const count =
          run === undefined || run.failures === 0 ? '' : `, retry ${String(run.failures)} of ${String(max)}`;
        return because(hold, `${path} failed and starts again${count}${failure}`, { until: notBefore });
      }
      case 'usage_limit': {
        const provider = isIn(run, 'check-waiting') ? rule.checkProvider : this.#provider(visit);
        const until = Math.max(notBefore ?? 0, parkedUntil(state, provider ?? ''));
        return because(hold, `${path} waits: ${provider ?? 'its provider'} is rate limited`, {
          until: until > now ? until : null,
        });
      }
      case 'concurrency': {
        const isAgent = (isIn(run, 'check-waiting') ? rule.checkProvider : rule.provider) !== null;
        const isOthers = isAgent && this.#others.agents > 0 && this.#room.lacksAgents;
        return isOthers ? this.#taken(path) : this.#behind(hold, `${path} waits for a slot`);
      }
      case 'budget': {
        const whose = scope.path === '' ? 'the run' : scope.path;
        return this.#behind(
          hold,
          `${path} waits: the rest of the budget of ${whose} is reserved for running steps`,
        );
      }
      default:
        return hold satisfies never;
    }
  }

  /** All slots for agents are in use, also by others. */
  #taken(path: StepPath): RunWhy {
    const { agents, first } = this.#others;
    const most = agents + this.#context.slots.agents;
    const used = most === 1 ? 'the only one' : `${String(agents)} of the ${String(most)}`;
    const text = `${path} waits for a slot: roles or other runs use ${used} of the project`;
    return because('slots_taken', text, { cause: first });
  }

  /** An expression may choose it. */
  #provider(visit: StepVisit): string | null {
    const worker = workerOf(this.#context.state, this.#context.rules, visit);
    return worker.ok ? worker.value.provider : null;
  }

  #behind(hold: Hold, text: string): RunWhy {
    const { state } = this.#context;
    const first = [...state.active]
      .map((path) => state.steps.get(path))
      .find((run) => isIn(run, 'running', 'checking'));
    const cause = isIn(first, 'running', 'checking') ? { record: first.path, at: first.phase.since } : null;
    return because(hold, text, { cause });
  }

  /** A step whose needs are not settled: the innermost of them comes first. */
  #needs(visit: StepVisit): RunWhy {
    const chain: StepPath[] = [];
    let why: RunWhy | null = null;
    for (let at: StepVisit | null = visit; at !== null;) {
      const before = this.#before(at);
      const next = before === null ? null : findStep(this.#context.state, this.#context.rules, before);
      if (before === null || next === null || chain.includes(before)) break;
      chain.push(before);
      const run = this.#context.state.steps.get(before);
      const isBehind = (run === undefined || isIn(run, 'pending')) && !this.#context.state.ready.has(before);
      why = isBehind ? null : this.#known(before);
      at = isBehind ? next : null;
    }
    if (chain.length === 0) return due(`nothing holds ${visit.path} back`);
    const needs = `${visit.path} needs ${chain.join(', which needs ')}`;
    return why === null
      ? because('needs', needs)
      : { ...why, code: 'needs', reason: `${why.reason}; ${needs}` };
  }

  /** The unsettled step that another comes after; null: none. */
  #before({ scope, rule }: StepVisit): StepPath | null {
    const { state } = this.#context;
    if (rule.body.body.kind === 'sequence') {
      // The counter of a sequence that continues in a loop stays at the end of the last time.
      const at = scope.counter.at === 'step' ? scope.counter : scope.entered;
      return at === null || at.step === rule.step.id ? null : pathIn(scope.path, at.step, at.visit);
    }
    const { last, steps } = rule.body;
    const others = rule === last ? [...steps.keys()].filter((id) => id !== rule.step.id) : null;
    const unsettled = (others ?? rule.step.needs.map(({ step }) => step))
      .map((step) => ({ step, run: entered(state, scope, step) }))
      .filter(({ run }) => !isIn(run, 'settled'));
    const waiting = unsettled.find(({ run }) => !isIn(run, 'running', 'checking')) ?? unsettled[0];
    return waiting === undefined ? null : (waiting.run?.path ?? pathIn(scope.path, waiting.step));
  }

  /** A loop or a sub-workflow: its inner steps explain it. */
  #inside({ path, rule }: StepVisit, { open }: StepRun): RunWhy {
    const { state, now } = this.#context;
    const within = [...state.active, ...state.ready].filter((each) => each.startsWith(`${path}/`));
    const inner = held(within.map((each) => this.#known(each)));
    if (inner === null) return due(`${path} continues`);
    const isBounded = rule.inner === null || !isFinishing(state, rule.inner, path);
    const left =
      !isBounded || open?.timeout == null || state.clock.since === null
        ? null
        : open.timeout - (clockNow(state, now) - open.clockAt);
    return { ...inner, until: inner.until ?? (left === null ? null : now + left) };
  }

  #settled({ path, phase, settledAt }: In<'settled'>, visit: StepVisit | null): RunWhy {
    const cause = settledAt === null ? null : { record: path, at: settledAt };
    switch (phase.status) {
      case 'SUCCEEDED':
        return because('succeeded', `${path} succeeded${this.#way(path, visit)}`, { cause });
      case 'INCOMPLETE':
        return because('succeeded', `${path} ended incomplete: ${phase.reason?.text ?? ''}`, { cause });
      case 'FAILED':
        return because(failureCode(phase.reason), `${path} failed: ${phase.reason?.text ?? ''}`, {
          cause,
          act: { do: 'retry-step', path: firstFailed(this.#context.state, path) },
        });
      case 'CANCELLED':
        return because('cancelled', `${path} was cancelled`, { cause, act: { do: 'retry-step', path } });
      case 'SKIPPED':
        return this.#skipped(path, phase.skipped, visit, cause);
      default:
        return phase.status satisfies never;
    }
  }

  /** Which way a route took. */
  #way(path: StepPath, visit: StepVisit | null): string {
    if (visit?.rule.step.work.kind !== 'route') return '';
    const way = wayTaken(this.#context.state, path);
    return way === null ? ': its way ended there' : `: its way was to \`${way}\``;
  }

  #skipped(
    path: StepPath,
    reason: SkipReason | null,
    visit: StepVisit | null,
    cause: RunWhy['cause'],
  ): RunWhy {
    const { state, rules } = this.#context;
    const conditions = reason && visit ? falseConditions(state, rules, visit, reason) : '';
    const text = `${path} was skipped${reason === null ? '' : `: ${skipText(reason)}${conditions}`}`;
    const need = reason?.why === 'dependency' && visit ? entered(state, visit.scope, reason.step) : undefined;
    if (!isIn(need, 'settled')) return because('skipped', text, { cause });
    const inner = this.#settled(need, findStep(state, rules, need.path));
    return { ...through('skipped', text, inner), cause: inner.cause };
  }
}

/** Whether the definition has a step of this path, whatever its items and visits. */
function isDefined(rules: Rules, path: StepPath): boolean {
  const ids = path.split('/').map((entry) => entry.replace(/#\d+$/, ''));
  const named = ids.filter((id) => !/^\d+$/.test(id));
  const step = named.pop() ?? '';
  return rules.bodies.get(named.join('/'))?.steps.has(step) === true;
}

function asked({ path, phase, startedAt }: In<'asked'>): RunWhy {
  const { approvers, choices, fields, message, deadline } = phase;
  const who = approvers.length === 0 ? 'a person' : listed(approvers, 'or');
  return because('waiting_for_approval', `${path} waits for the approval of ${who}: “${message}”`, {
    cause: startedAt === null ? null : { record: path, at: startedAt },
    until: deadline,
    act: { do: 'approve', path, gate: { approvers, choices, fields } },
  });
}

function causeOf(record: StepPath, phase: StepRun['phase']): RunWhy['cause'] {
  return 'since' in phase ? { record, at: phase.since } : null;
}

/** Of several reasons the first with something to do, else the first. */
function held(whys: readonly RunWhy[]): RunWhy | null {
  const running = whys.find(({ code }) => code === 'running' || code === 'checking');
  return running ?? whys.find(({ act }) => act !== null) ?? whys[0] ?? null;
}

function endingWhy(state: RunState, ending: Ending | null): RunWhy {
  const cause =
    ending?.why === 'aborted' && ending.path !== '' ? { record: ending.path, at: state.now } : null;
  return because('ending', `the run is ending: ${endingText(ending)}`, { cause });
}

function endingText(ending: Ending | null): string {
  switch (ending?.why) {
    case 'aborted':
      return ending.reason.text;
    case 'timed-out':
      return 'it timed out';
    case 'cancelled':
      return `cancelled by ${ending.by}`;
    case undefined:
      return 'a step that it is part of ends';
  }
}

function ended(state: RunState, at: number): RunWhy {
  const { status, reason, ending, given } = state;
  const path = ending?.why === 'aborted' ? ending.path : '';
  const cause = { record: path === '' ? (given?.run ?? '') : path, at };
  const text = endReason(state);
  const said = text === null ? '' : `: ${text}`;
  if (status === 'SUCCEEDED') return because('succeeded', `the run succeeded${said}`, { cause });
  const raises = limitReached(state);
  const act = { do: 'resume', raises } as const;
  if (status === 'CANCELLED') return because('cancelled', `the run was cancelled${said}`, { cause, act });
  const how = status === 'TIMED_OUT' ? 'timed out' : 'failed';
  const first = raises === null ? '' : `; raise \`${raises}\` in its file, then resume it`;
  return because(failureCode(reason), `the run ${how}${said}${first}`, { cause, act });
}

/** A step that was handed to the workers of other hosts. */
function onWorkerWhy(
  { work, on }: Step,
  path: StepPath,
  { worker }: In<'running'>['phase'],
  cause: RunWhy['cause'],
): RunWhy {
  if (worker !== null) return because('running', `${path} runs on ${worker.host}`, { cause });
  const labels = on?.labels ?? [];
  const needs = labels.length === 0 ? '' : ` with the labels ${listed(labels)}`;
  const kind = work.kind === 'agent' ? 'agents' : 'commands';
  return because('waiting_for_worker', `${path} waits for a worker${needs} that takes steps: ${kind}`, {
    cause,
  });
}
