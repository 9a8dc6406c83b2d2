import type { HeldReasons } from '../../kernel/why.ts';
import { changedText } from '../../project/definition/confirmed.ts';
import { lookAtChange, type DescribedChange } from '../../project/definition/changed-by.ts';
import { isIn } from '../machine/fold/steps.ts';
import { choiceOf } from '../machine/commands.ts';
import type { Approval } from '../model.ts';
import type { Trigger } from '../automation.ts';
import type { Rules } from '../machine/rules.ts';
import { entered, findStep } from '../machine/scope.ts';
import type { StepPath } from '../machine/event.ts';
import type { RunState } from '../machine/state.ts';
import { asksText, coolingUntil, unanswered, type Moment } from '../machine/triggers/decide.ts';
import { memoryOf } from '../machine/triggers/memory.ts';
import type { RunCard, RunControlFile, TriggersMemory } from '../../letters/letters.ts';
import type { ProjectHolder } from '../../host/holder.ts';
import { RunExplainer } from '../machine/explain/explain.ts';
import { explained, isMoving } from '../../documents/explained.ts';
import type { RunSlots } from './slots.ts';
import { approveCommand, resumeCommand, runCommand } from './run-commands.ts';
import { iso, isoOrNull } from '../../kernel/times.ts';
import type { HostedRun } from '../host/hosted-runs.ts';
import { because, type Why } from '../../kernel/why.ts';
import { endOfId } from '../../kernel/ids.ts';
import type { Explained } from '../../documents/common.ts';
import { standingOfRun, standingOfStep } from '../../documents/standing.ts';
import type { RunStatusDocument, TriggerStatus, WaitingGate } from '../../documents/status.ts';

export function isAnswer({ verb }: Pick<RunControlFile, 'verb'>): boolean {
  return verb === 'approve' || verb === 'reject';
}

/** The status of a run that waits for another one, and has not begun, or not been resumed. */
export function waitingStatus({ card, since, waits }: HostedRun): RunStatusDocument {
  const { run, workflow, startedBy, person } = card;
  return {
    run,
    workflow,
    title: null,
    state: 'waiting',
    standing: standingOfRun({ status: 'PENDING', alive: true, steps: [], gates: [], paused: null }),
    started_by: startedBy,
    person,
    started_at: null,
    steps: [],
    gates: [],
    paused: null,
    why: explained(waitingWhy(since, waits), () => null),
    resume: null,
    cost: { usd: 0, tokens: 0, unpriced: 0 },
  };
}

/** Why such a run does not move. */
export function waitingWhy(since: number, waits: HostedRun['waits']): Why<never> {
  const other = waits?.for ?? null;
  const which = other === null ? 'another run' : `the run ${endOfId(other)}`;
  const cancelled = waits?.cancels === true ? ', which it has cancelled,' : '';
  return because('other_run', `the run waits until ${which}${cancelled} has ended`, {
    cause: other === null ? null : { record: other, at: since },
  });
}

/** What the status of a run needs besides its state. */
interface RunSituation {
  /** Whether a process hosts it. */
  readonly alive: boolean;
  /** Commands that its process has not read. */
  readonly pending: readonly RunControlFile[];
  readonly slots: RunSlots;
  /** The steps that wait for the machine. */
  readonly held: HeldReasons;
}

/** The answer to a gate that the process of its run has not read; null: there is none. */
export function answerTo(gate: string, pending: readonly RunControlFile[]): WaitingGate['recorded'] {
  const answer = pending.find((each) => each.path === gate && isAnswer(each));
  return answer === undefined ? null : { choice: choiceOf(answer), by: answer.by };
}

/** The active steps of a run, and apart from them the gates that wait. */
export function activeIn(
  state: RunState,
  rules: Rules,
  run: string,
  pending: readonly RunControlFile[],
): { readonly steps: readonly string[]; readonly gates: readonly WaitingGate[] } {
  const active = [...state.active].flatMap((path) => state.steps.get(path) ?? []);
  const gates = active.flatMap(({ path, phase, startedAt }) => {
    if (phase.is !== 'asked') return [];
    const { message, approvers, choices } = phase;
    const fields = answerFields(phase.fields);
    const approve = approveCommand(run, path, phase);
    const [since, deadline] = [isoOrNull(startedAt), isoOrNull(phase.deadline)];
    const onTimeout = deadline === null ? null : consequenceOf(state, rules, path);
    const recorded = answerTo(path, pending);
    const asked = { gate: path, message, approvers, choices, fields };
    const before = stepsBefore(state, rules, path);
    return [{ ...asked, since, deadline, on_timeout: onTimeout, before, approve, recorded }];
  });
  const steps = active.filter((step) => !isIn(step, 'asked', 'open')).map(({ path }) => path);
  return { steps, gates };
}

/** How much of the result of a step stands beside a gate. */
const shownOfResult = { lines: 6, characters: 600 };

/** The steps that a gate depends on, as they have ended. */
function stepsBefore(state: RunState, rules: Rules, gate: StepPath): WaitingGate['before'] {
  const visit = findStep(state, rules, gate);
  return (visit?.rule.step.needs ?? []).flatMap(({ step }) => {
    const run = visit === null ? undefined : entered(state, visit.scope, step);
    if (!isIn(run, 'settled')) return [];
    const { lines, characters } = shownOfResult;
    const text = (run.summary?.text ?? run.result?.output ?? '').trim().slice(0, characters);
    const result = text.split('\n').slice(0, lines).join('\n');
    return [{ step: run.path, standing: standingOfStep(run.phase.status, null, true), result }];
  });
}

/** The status of a run that has not ended. */
export function runStatus(
  state: RunState,
  rules: Rules,
  { run, workflow, startedBy, person }: Pick<RunCard, 'run' | 'workflow' | 'startedBy' | 'person'>,
  situation: RunSituation,
): RunStatusDocument {
  const { alive, pending } = situation;
  const { steps, gates } = activeIn(state, rules, run, pending);
  const isWaiting = gates.length > 0 && steps.length === 0;
  const { status, paused } = state;
  return {
    run,
    workflow,
    title: rules.workflow.display?.title ?? null,
    state: !alive ? 'stopped' : isWaiting ? 'waiting' : 'running',
    standing: standingOfRun({ status, alive, steps, gates, paused }),
    started_by: startedBy,
    person,
    started_at: isoOrNull(state.startedAt),
    steps,
    gates,
    paused: state.paused && { by: state.paused.by, at: iso(state.paused.at) },
    why: alive ? whyOf(state, rules, run, situation) : null,
    resume: alive ? null : resumeCommand({ run, startedBy }),
    cost: state.cost,
  };
}

function answerFields(types: Approval['fields']) {
  return Object.fromEntries(
    Object.entries(types).map(
      ([name, { type, enum: values, required, default: usual = null, description }]) => [
        name,
        { type, enum: values, required, default: usual, description },
      ],
    ),
  );
}

/** By the state alone: a process that is there has done what time alone made due. */
function whyOf(
  state: RunState,
  rules: Rules,
  run: string,
  { slots: { slots, others }, held }: RunSituation,
): Explained | null {
  const why = new RunExplainer(state, rules, state.now, slots, others, held).run();
  return isMoving(why) ? null : explained(why, (act) => runCommand(run, act));
}

const consequences = {
  abort: 'the run fails',
  approve: 'it is approved',
  reject: 'it is rejected: what depends on it is skipped',
} as const;

/** What happens without a timely answer to a gate. */
function consequenceOf(state: RunState, rules: Rules, path: string): string | null {
  const work = findStep(state, rules, path)?.rule.step.work;
  return work?.kind === 'gate' ? consequences[work.onTimeout] : null;
}

interface TriggerSituation {
  readonly memory: TriggersMemory;
  /** Of the project; null: none. */
  readonly holder: Pick<ProjectHolder, 'triggers'> | null;
  /** What has changed in the workflow since `up` started; null: nothing. */
  readonly changed: DescribedChange | null;
  /** What a person has said to a run that waits for one. */
  readonly said: Moment['said'];
  readonly now: number;
}

/** The status of a workflow's trigger. */
export function triggerStatus(
  workflow: string,
  trigger: Trigger,
  situation: TriggerSituation,
): TriggerStatus {
  const { name, kind } = trigger;
  const { due, last, waiting } = memoryOf(situation.memory, name);
  const why = whyNot(workflow, trigger, situation);
  return {
    workflow,
    name,
    kind,
    active: why === null,
    why,
    next: why === null ? isoOrNull(due) : null,
    last: last === null ? null : { run: last, at: timeOf(last) },
    waiting: waiting !== null,
    cools_until: isoOrNull(why === null ? coolingUntil(trigger, situation.memory, situation.now) : null),
  };
}

function whyNot(
  workflow: string,
  trigger: Trigger,
  { memory, holder, changed, said }: TriggerSituation,
): string | null {
  const { name, enabled } = trigger;
  if (enabled === false) return 'it has `enabled: false`';
  if (holder === null) return 'no controller runs';
  if (!holder.triggers) return 'a run moves the mail, and only `mailroom up` serves triggers';
  // `up` remembers each trigger that it has read.
  if (!Object.hasOwn(memory.triggers, name))
    return `the running \`mailroom up\` has not read it${changed === null ? '' : `: ${changed.what}; ${lookAtChange(changed)}`}; restart \`mailroom up\``;
  if (changed !== null) return changedText(workflow, changed);
  const asked = unanswered(trigger, memory, said);
  return asked === null ? null : `it ${asksText(asked)}`;
}

/** When a run was requested: its id is a uuid v7, which begins with that time. */
function timeOf(run: string): string | null {
  const digits = /^([\da-f]{8})-([\da-f]{4})-7/.exec(run);
  return digits === null ? null : iso(Number.parseInt(`${digits[1]}${digits[2]}`, 16));
}

/** The workflow part of `status`. */
export interface WorkflowStatus {
  readonly runs: readonly RunStatusDocument[];
  readonly triggers: readonly TriggerStatus[];
  /** Problems of workflows that should start automatically. */
  readonly problems: readonly string[];
}
