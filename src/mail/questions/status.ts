import { dayOf, noCost } from '../../kernel/money.ts';
import { isHuman, type Protocol } from '../format/protocol.ts';
import { freeProvider } from '../machine/rules/fallback.ts';
import type { ProjectHolder } from '../../host/holder.ts';
import { processesOf, turnStatus, type MailSummary, type RoleSummary } from '../controller/mail-summary.ts';
import type { MailState, Turn } from '../machine/state.ts';
import type { Launched } from '../../kernel/launched.ts';
import { iso } from '../../kernel/times.ts';
import { standingOfRole, standingOfTurn } from '../../documents/standing.ts';
import { isThere } from '../../host/holding.ts';
import { heldReasons, type HeldWork } from '../../kernel/why.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type {
  ControllerStatus,
  MailStatus,
  RoleActivity,
  RoleStatus,
  TurnStatus,
  WaitStatus,
} from '../../documents/status.ts';

/** What the status needs besides the state; what is absent is not known, or nothing. */
interface StatusParts {
  /** Null: no controller runs. */
  readonly holder?: ProjectHolder | null;
  /** Null: it cannot be read, and the roles are those in the state. */
  readonly protocol: Protocol | null;
  /** The hash of the protocol on disk. */
  readonly hash?: string | null;
  /** Dropped files in inboxes that are not accepted yet, by role. */
  readonly dropped?: ReadonlyMap<RoleName, number>;
  /** Files in outboxes that are not accepted yet. */
  readonly recorded?: number;
  readonly problems?: readonly string[];
  /** The turns that wait for the machine; absent: as the holder has noted. */
  readonly held?: readonly HeldWork[];
  readonly now: number;
}

function controllerStatus({ pid, host, since, triggers }: ProjectHolder): ControllerStatus {
  return { pid, host, since: iso(since), triggers };
}

/** The status of the mail, from a summary. */
export function statusOf(mail: MailSummary, parts: StatusParts): MailStatus {
  const { holder = null, protocol, hash = null, now } = parts;
  const processes = new Map(mail.processes);
  const turns = mail.turns.map((turn) => turnNow(turn, { ...parts, process: processes.get(turn.id) }));
  const known = new Map(mail.roles.map((role) => [role.name, role]));
  const names = new Set([...(protocol?.roles.keys() ?? []), ...known.keys()]);
  const parked = new Map(mail.parked);
  const gone = ({ name }: RoleSummary) => `E_MAIL_VANISHED: the inbox of ${name} is gone, with mail in it`;
  return {
    schema: 1,
    controller: holder && controllerStatus(holder),
    protocol_changed: holder !== null && hash !== null && mail.protocol !== '' && hash !== mail.protocol,
    paused: mail.paused,
    parked: [...parked]
      .filter(([, until]) => until > now)
      .map(([provider, until]) => ({ provider, until: iso(until) })),
    roles: [...names].map((name) =>
      roleStatus(known.get(name) ?? unknownRole(name), { mail, turns, parked, parts }),
    ),
    threads: mail.threads,
    thread_counts: countsOf(mail.threads),
    begun: mail.threads[0]?.opened ?? null,
    turns: turns.map((turn) => ({ ...turn, instead_of: replaced(turn, protocol) })),
    landings: mail.landings,
    cost: {
      today: mail.spent.day === dayOf(now) ? mail.spent.cost : noCost,
      limit: dayLimit(protocol),
    },
    recorded: parts.recorded ?? 0,
    problems: [...(parts.problems ?? []), ...mail.roles.filter(({ vanished }) => vanished).map(gone)],
  };
}

function dayLimit(protocol: Protocol | null): MailStatus['cost']['limit'] {
  if (protocol === null) return null;
  const { usd, tokens } = protocol.limits.dayBudget;
  return usd === null && tokens === null ? null : { usd, tokens };
}

function countsOf(threads: MailSummary['threads']): MailStatus['thread_counts'] {
  const counts = { open: 0, quiet: 0, closed: 0, failed: 0 };
  for (const { state } of threads) counts[state] += 1;
  return counts;
}

/** A turn as it is now: what runs by the journal may be held, or have no controller. */
function turnNow(turn: TurnStatus, { holder, held = holder?.held ?? [], process }: TurnHost): TurnStatus {
  const reason = turn.state === 'landing' ? undefined : heldReasons(held).get(turn.id);
  // A worker continues without the controller.
  const isLost = holder === null && turn.worker === null;
  if (turn.standing.is !== 'working' || (reason === undefined && !isLost)) return turn;
  const state = !isLost
    ? 'held'
    : process && isThere(process.pid, process.startTime)
      ? 'left'
      : 'interrupted';
  return { ...turn, state, standing: standingOfTurn({ ...turn, state }, false), held: reason ?? null };
}

interface TurnHost extends Pick<StatusParts, 'holder' | 'held'> {
  /** That it has on this host; absent: none. */
  readonly process?: Launched | undefined;
}

/** A turn of the state as it is now in a project. */
export function shownTurn(holder: ProjectHolder | null, state: MailState, turn: Turn): TurnStatus {
  const process = new Map(processesOf([turn])).get(turn.id);
  return turnNow(turnStatus(turn, state), { holder, process });
}

/** The own provider of a role whose turn another one runs; null: its own runs it. */
function replaced({ role, provider }: TurnStatus, protocol: Protocol | null): string | null {
  const own = protocol?.roles.get(role)?.provider;
  return own === undefined || own === provider ? null : own;
}

/** A role of the protocol without any history. */
function unknownRole(name: RoleName): RoleSummary {
  const none = { inbox: 0, waits: [], owes: [], asked: [], turns: 0 };
  return { name, ...none, cost: noCost, vanished: false, failed: false };
}

interface RoleParts {
  readonly mail: MailSummary;
  readonly turns: readonly TurnStatus[];
  readonly parked: ReadonlyMap<string, number>;
  readonly parts: StatusParts;
}

function roleStatus(role: RoleSummary, { mail, turns: open, parked, parts }: RoleParts): RoleStatus {
  const { name, waits, turns, cost } = role;
  const own = open.filter((turn) => turn.role === name);
  const number = (...states: readonly TurnStatus['state'][]) =>
    own.filter(({ state }) => states.includes(state)).length;
  const running = number('running', 'checking', 'queued');
  const { protocol, now } = parts;
  const defined = protocol?.roles.get(name);
  const isLimited = defined !== undefined && freeProvider({ parked }, defined, now) === null;
  const activity = (): RoleActivity => {
    if (mail.paused.all || mail.paused.roles.includes(name)) return 'paused';
    if (isLimited || role.vanished) return 'parked';
    if (running > 0) return 'running';
    if (number('held') > 0) return 'held';
    if (number('interrupted', 'left') > 0) return 'interrupted';
    return waits.some(({ blocks }) => blocks !== 'none') ? 'waiting' : 'idle';
  };
  const person = protocol !== null && isHuman(protocol, name);
  const facts = {
    person,
    state: activity(),
    inbox: role.inbox + (parts.dropped?.get(name) ?? 0),
    waits,
    owes: person ? [...role.owes, ...role.asked] : role.owes,
  };
  return {
    name,
    standing: standingOfRole(
      { ...facts, failed: role.failed },
      own.map(({ standing: each }) => each),
    ),
    running,
    waiting_for: together(waits),
    ...facts,
    turns,
    cost,
    why: null,
  };
}

function together(waits: readonly WaitStatus[]): RoleStatus['waiting_for'] {
  const [first, ...rest] = waits;
  if (!first) return null;
  const since = rest.reduce((oldest, wait) => (wait.since < oldest ? wait.since : oldest), first.since);
  return {
    roles: [...new Set(waits.flatMap(({ roles }) => roles))],
    messages: waits.flatMap(({ messages }) => messages),
    since,
  };
}
