import type { Trigger } from '../../automation.ts';
import { asked } from './notice.ts';
import { earliest } from '../../../kernel/times.ts';
import { memoryOf, remember } from './memory.ts';
import type { Start, TriggerMemory, TriggersMemory } from '../../../letters/letters.ts';

/** What a decision needs besides the memory. */
export interface Moment {
  readonly now: number;
  /** Creates the id of a run that does not exist yet. */
  readonly fresh: () => string;
  /**
   * The next time after a given one at which a crontab line fires; null: never. Milliseconds since
   * 1970.
   */
  readonly next: (trigger: Extract<Trigger, { kind: 'cron' }>, after: number) => number | null;
  /** A person's answer to a run that waits for one; null: none yet. Absent: there are none. */
  readonly said?: (start: Start) => 'yes' | 'no' | null;
  /** Whether the run in progress is cancelled for the next one. Absent: that waits for its end. */
  readonly cancelsOlder?: boolean;
}

interface TriggerDecision {
  readonly memory: TriggersMemory;
  /** The run to start now; the memory has it as `going`. */
  readonly start: Start | null;
  /** The run that the one in progress must be cancelled for; null: none. */
  readonly next: Start | null;
  /** Triggers whose command must run now. */
  readonly polls: readonly string[];
  /** When to look again although nothing happened; null: never. */
  readonly wake: number | null;
}

/**
 * What the triggers of one workflow request now. Pure. One run of a workflow is in progress at a
 * time; later requests wait, perhaps for the end of one that is cancelled for them, one per
 * trigger, and further requests of that trigger merge into it.
 */
export function decideTriggers(
  before: TriggersMemory,
  triggers: readonly Trigger[],
  moment: Moment,
): TriggerDecision {
  let memory = before;
  const polls: string[] = [];
  const wakes: number[] = [];
  for (const trigger of triggers) {
    const due = dueOf(trigger, memory, moment);
    memory = due.memory;
    if (due.poll) polls.push(trigger.name);
    if (due.wake !== null) wakes.push(due.wake);
  }
  for (const { name } of triggers.filter(({ by }) => by === 'person')) {
    const { waiting } = memoryOf(memory, name);
    if (waiting !== null && moment.said?.(waiting) === 'no')
      memory = remember(memory, name, { waiting: null });
  }
  const { now } = moment;
  for (const { name } of triggers) memory = setBackTo(memory, name, now);
  const cools = (trigger: Trigger): boolean => {
    const until = coolUntil(trigger, memory);
    if (until <= now) return false;
    if (memoryOf(memory, trigger.name).waiting !== null) wakes.push(until);
    return true;
  };
  const isFree = memory.going === null;
  const ready = isFree || moment.cancelsOlder ? triggers.filter((trigger) => !cools(trigger)) : [];
  const next = oldest(memory, ready, moment);
  const start = isFree ? next : null;
  if (start !== null)
    memory = { ...remember(memory, start.trigger, { waiting: null, last: start.run }), going: start };
  // A person may confirm one that is older than the one in progress: it waits.
  const isNewer = before.going !== null && next !== null && next.at >= before.going.at;
  return { memory, start, next: isNewer ? next : null, polls, wake: earliest(wakes) };
}

/** Why a run that waits for a person does not start, and what to do. */
export function asksText({ run, count }: Start): string {
  const times = count === 1 ? '' : ` (asked for ${String(count)} times)`;
  return `waits for a person${times}: look at what it would run, then \`mailroom approve ${run}\`, or \`mailroom reject ${run}\``;
}

/** The request of a trigger that no person has confirmed in its present form; null: none waits. */
export function unanswered(
  { name, by }: Trigger,
  memory: TriggersMemory,
  said: Moment['said'],
): Start | null {
  const { waiting } = memoryOf(memory, name);
  return by !== 'person' || waiting === null || said?.(waiting) === 'yes' ? null : waiting;
}

function oldest(
  memory: TriggersMemory,
  triggers: readonly Trigger[],
  { said }: Pick<Moment, 'said'>,
): Start | null {
  const waiting = triggers.flatMap((trigger) =>
    unanswered(trigger, memory, said) === null ? (memoryOf(memory, trigger.name).waiting ?? []) : [],
  );
  return waiting.reduce<Start | null>(
    (first, each) => (first === null || each.at < first.at ? each : first),
    null,
  );
}

/** When the next run of a trigger may begin, in ms since 1970. */
function coolUntil({ name, cooldown = 0 }: Trigger, memory: TriggersMemory): number {
  const { ended } = memoryOf(memory, name);
  return ended === null ? 0 : ended + cooldown;
}

/**
 * Until when what a trigger asks for waits for the end of its cooldown, in ms since 1970; null:
 * nothing does.
 */
export function coolingUntil(trigger: Trigger, memory: TriggersMemory, now: number): number | null {
  const { waiting, changed } = memoryOf(memory, trigger.name);
  const until = coolUntil(trigger, memory);
  return memory.going === null && (waiting ?? changed) !== null && until > now ? until : null;
}

interface Due {
  readonly memory: TriggersMemory;
  readonly poll: boolean;
  readonly wake: number | null;
}

function dueOf(trigger: Trigger, memory: TriggersMemory, moment: Moment): Due {
  switch (trigger.kind) {
    case 'cron':
      return dueByClock(trigger, memory, moment);
    case 'interval':
      return dueByInterval(trigger, memory, moment);
    case 'files':
      return dueByFiles(trigger, memory, moment);
    case 'command':
      return dueByCommand(trigger, memory, moment);
    case 'webhook':
    case 'message':
      return { memory, poll: false, wake: null };
  }
}

/** If the clock is set back by less than this, no time fires twice. */
const setBack = 3_600_000;

/** Times missed while the machine slept are made up for once. */
function dueByClock(
  trigger: Extract<Trigger, { kind: 'cron' }>,
  memory: TriggersMemory,
  { now, fresh, next }: Moment,
): Due {
  const { name } = trigger;
  const { due, taken } = memoryOf(memory, name);
  if (due !== null && now >= due) {
    const wake = next(trigger, now);
    const after = remember(memory, name, { due: wake, taken: due });
    const data = { scheduled: new Date(due).toISOString() };
    return { memory: asked(after, trigger, data, { now, fresh }), poll: false, wake };
  }
  const from = taken !== null && taken > now && taken - now < setBack ? taken : now;
  const wake = next(trigger, from);
  return { memory: due === wake ? memory : remember(memory, name, { due: wake }), poll: false, wake };
}

/** First one interval after a host began; a clock that was set back starts a new interval. */
function dueByInterval(
  trigger: Extract<Trigger, { kind: 'interval' }>,
  memory: TriggersMemory,
  moment: Moment,
): Due {
  const { name, every } = trigger;
  const { now } = moment;
  const { due } = memoryOf(memory, name);
  if (due !== null && now < due && due - now <= every) return { memory, poll: false, wake: due };
  const wake = now + every;
  const after = remember(memory, name, { due: wake });
  if (due === null || now < due) return { memory: after, poll: false, wake };
  const data = { scheduled: new Date(due).toISOString() };
  return { memory: asked(after, trigger, data, moment), poll: false, wake };
}

/** Changes collect while a run waits for the one in progress; its end begins the cooldown. */
function dueByFiles(
  trigger: Extract<Trigger, { kind: 'files' }>,
  before: TriggersMemory,
  moment: Moment,
): Due {
  const { now } = moment;
  const { name, debounce } = trigger;
  const waits = before.going !== null && !moment.cancelsOlder;
  if (waits || memoryOf(before, name).changed === null) return { memory: before, poll: false, wake: null };
  const memory = setBackTo(before, name, now);
  const { changed } = memoryOf(memory, name);
  const at = Math.max((changed?.at ?? 0) + debounce, coolUntil(trigger, memory));
  if (now < at) return { memory, poll: false, wake: at };
  const after = remember(memory, name, { changed: null });
  return {
    memory: asked(after, trigger, { files: [...(changed?.files ?? [])] }, moment),
    poll: false,
    wake: null,
  };
}

/** After the clock was set back, what was seen later than now counts as seen now. */
function setBackTo(memory: TriggersMemory, name: string, now: number): TriggersMemory {
  const { changed, ended } = memoryOf(memory, name);
  if ((changed?.at ?? 0) <= now && (ended ?? 0) <= now) return memory;
  return remember(memory, name, {
    changed: changed && { ...changed, at: Math.min(changed.at, now) },
    ended: ended === null ? null : Math.min(ended, now),
  });
}

function dueByCommand(
  { name, every }: Extract<Trigger, { kind: 'command' }>,
  memory: TriggersMemory,
  { now }: Moment,
): Due {
  const { due } = memoryOf(memory, name);
  if (due !== null && now < due && due - now <= every) return { memory, poll: false, wake: due };
  return { memory: remember(memory, name, { due: now + every }), poll: true, wake: now + every };
}

/** The run of the workflow has ended: another one may begin. */
export function runEnded(memory: TriggersMemory, run: string, now: number): TriggersMemory {
  const { going } = memory;
  if (going?.run !== run) return memory;
  const known: Partial<TriggerMemory> = { ended: now };
  const after = Object.hasOwn(memory.triggers, going.trigger)
    ? remember(memory, going.trigger, known)
    : memory;
  return { ...after, going: null };
}
