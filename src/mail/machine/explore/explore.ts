import { apply } from '../apply.ts';
import { decide } from '../decide.ts';
import { stamp, type Fact } from '../event.ts';
import type { Protocol } from '../../format/protocol.ts';
import { emptyState, type MailState, type Mail, type RoleState } from '../state.ts';
import { canonical, prune } from './canonical.ts';
import { exploredAt, movesOf, type Move } from './moves.ts';

/** The bounds of the exploration: no clock, so that its result is the same on every machine. */
interface Bounds {
  /** Maximum number of threads that people start. */
  readonly threads: number;
  /** Maximum number of messages on the way to a state. */
  readonly depth: number;
  /** Maximum number of explored states. */
  readonly states: number;
  /** Maximum number of tried moves; several may lead to the same state. */
  readonly moves: number;
}

/** A sequence of messages after which a role waits forever. */
export interface StuckState {
  /** `user → architect: task`, one line a message, in order. */
  readonly path: readonly string[];
  /** Which role waits for what. */
  readonly why: string;
  /** The type of the message that waits, or is waited for. */
  readonly type: string;
}

export interface Exploration {
  /** The shortest path first; one for each reason. */
  readonly stuck: readonly StuckState[];
  /** False: the bounds ended the exploration, so there may be more. */
  readonly complete: boolean;
  readonly states: number;
}

interface Node {
  readonly state: MailState;
  readonly path: readonly string[];
}

/** Maximum number of kinds of stuck states: more would repeat the same errors. */
const mostFound = 5;

/**
 * Runs a protocol on the real machine with all ways in which its agents can end their turns, fewest
 * messages first, and finds the states in which a role waits for what can never come.
 * Deterministic. Does not simulate failures; time passes only where nothing else can happen.
 * `report`: called after each state with their number so far.
 */
export function explore(
  protocol: Protocol,
  bounds: Bounds,
  report: (states: number) => void = () => {},
): Exploration {
  const unbounded = withoutLimits(protocol);
  const seen = new Set<string>();
  const found = new Map<string, StuckState>();
  let moves = 0;
  // By the number of messages that lead to them.
  const levels: Node[][] = [[{ state: emptyState(), path: [] }]];
  const result = (complete: boolean) => ({ stuck: [...found.values()], complete, states: seen.size });
  for (let depth = 0; depth < levels.length; depth += 1) {
    if (depth >= bounds.depth && levels[depth]?.length) return result(false);
    // Moves without a message add to the level that this loop iterates over.
    for (const node of levels[depth] ?? []) {
      for (const after of nextOf(node, unbounded, bounds.threads)) {
        moves += 1;
        const isOver = seen.size >= bounds.states || moves > bounds.moves;
        if (isOver || found.size >= mostFound) return result(false);
        if (after.stuck !== null) {
          const { why, type } = after.stuck;
          if (!found.has(why)) found.set(why, { path: after.path, why, type });
          continue;
        }
        const name = canonical(after.state);
        if (seen.has(name)) continue;
        seen.add(name);
        report(seen.size);
        prune(after.state);
        for (let length = levels.length; length <= after.path.length; length += 1) levels.push([]);
        levels[after.path.length]?.push(after);
      }
    }
    levels[depth] = [];
  }
  return result(true);
}

function withoutLimits(protocol: Protocol): Protocol {
  const none = { usd: null, tokens: null };
  const limits = {
    ...protocol.limits,
    turnsPerThread: Number.MAX_SAFE_INTEGER,
    threadBudget: none,
    dayBudget: none,
  };
  return { ...protocol, concurrency: Number.MAX_SAFE_INTEGER, limits };
}

type Stuck = Pick<StuckState, 'why' | 'type'>;
type Played = Node & { readonly stuck: Stuck | null };

/** The next states, each after all of its automatic consequences. */
function* nextOf(node: Node, protocol: Protocol, threads: number): Generator<Played> {
  for (const move of movesOf(node.state, protocol, threads)) {
    let state = cloneState(node.state);
    for (const fact of factsOf(move)) state = record(state, fact);
    const lines = move.sent.map(
      ({ message }) => `${message.from} → ${message.to.join(', ')}: ${message.type}`,
    );
    yield { ...settle(state, protocol, exploredAt), path: [...node.path, ...lines] };
  }
  const { turns, deadlines } = node.state;
  if (turns.size > 0 || deadlines.size === 0) return;
  // No role works: waits last until they time out. The clock does not advance otherwise.
  const late = settle(cloneState(node.state), protocol, Math.max(...deadlines.values()));
  yield { ...late, path: node.path };
}

/** The facts that record a move. */
function factsOf(move: Move): Fact[] {
  if (move.by === 'person') return move.sent.map((sent) => ({ type: 'accepted', sent }));
  const { turn, result, sent } = move;
  const { attempt, round } = turn;
  return [
    { type: 'returned', turn: turn.id, attempt, round, result },
    { type: 'committed', turn: turn.id, sent },
  ];
}

function record(state: MailState, fact: Fact): MailState {
  let count = 0;
  const after = apply(
    state,
    stamp(fact, exploredAt, () => `n${String(state.events)}.${String((count += 1))}`),
  );
  after.pendingProjections.clear();
  return after;
}

/** Lets the machine decide until it has no more facts, or reports a stuck role. */
function settle(
  start: MailState,
  protocol: Protocol,
  now: number,
): { state: MailState; stuck: Stuck | null } {
  let state = start;
  for (;;) {
    const { facts } = decide(state, protocol, now);
    if (facts.length === 0) return { state, stuck: null };
    for (const fact of facts) {
      const stuck = whyStuck(state, fact);
      if (stuck !== null) return { state, stuck };
      state = record(state, fact);
    }
  }
}

function whyStuck(state: MailState, fact: Fact): Stuck | null {
  if (fact.type === 'failed-back') {
    const type = state.mail.get(fact.ask.request)?.message.type ?? '';
    return { why: fact.reason.text.replaceAll(/\((\S+): [^)]*\)/g, '($1)'), type };
  }
  if (fact.type !== 'quieted') return null;
  const left = (state.threads.get(fact.thread)?.messages ?? []).flatMap((id) => {
    const mail = state.mail.get(id);
    // The answer of a sub-thread waits for the others, in a wait of its parent.
    if ((state.waits.get(mail?.wait ?? '')?.thread ?? fact.thread) !== fact.thread) return [];
    const type = mail?.message.type ?? '';
    return [...(mail?.deliveries ?? [])]
      .filter(([, { at }]) => at === 'inbox')
      .map(([role]) => ({ type, text: `${type} for ${role}` }));
  });
  const [first] = left;
  if (first === undefined) return null;
  const texts = [...new Set(left.map(({ text }) => text))].join(', ');
  return {
    why: `${texts} is never picked up: the messages that it waits for never come`,
    type: first.type,
  };
}

/**
 * An independent copy: what `apply` changes in place is copied, what it only replaces is shared.
 * Most of the maps are empty, and an exploration spends much of its time here.
 */
export function cloneState(state: MailState): MailState {
  return {
    ...state,
    threads: copied(state.threads, (thread) => ({ ...thread, messages: [...thread.messages] })),
    mail: copied(state.mail, cloneMail),
    turns: copied(state.turns),
    waits: copied(state.waits),
    cut: copied(state.cut),
    landings: copied(state.landings),
    branches: copied(state.branches),
    roles: copied(state.roles, cloneRole),
    unread: copied(state.unread),
    pendingProjections: copied(state.pendingProjections),
    deadlines: copied(state.deadlines),
    dropped: copied(state.dropped),
    timers: [...state.timers],
    broken: copied(state.broken),
    possiblyQuiet: copiedSet(state.possiblyQuiet),
    ended: copiedSet(state.ended),
    commands: copiedSet(state.commands),
    paused: { ...state.paused, roles: copied(state.paused.roles), threads: copied(state.paused.threads) },
    parked: copied(state.parked),
    bills: copied(state.bills, (bills) => copied(bills)),
  };
}

function cloneMail(mail: Mail): Mail {
  const request = mail.request && { ...mail.request, asks: copied(mail.request.asks) };
  return { ...mail, deliveries: copied(mail.deliveries), request };
}

function cloneRole(role: RoleState): RoleState {
  return {
    ...role,
    requests: copiedSet(role.requests),
    queue: copiedSet(role.queue),
    inThread: copied(role.inThread, copiedSet),
    fromRole: copied(role.fromRole, copiedSet),
    asked: copiedSet(role.asked),
    waitsFor: copied(role.waitsFor),
    blockedBy: copied(role.blockedBy, copiedSet),
    joining: copied(role.joining, copiedSet),
    crossed: copiedSet(role.crossed),
    answered: copiedSet(role.answered),
  };
}

/** A loop takes a fifth of the time of `new Map(map)`. */
function copied<K, V>(map: ReadonlyMap<K, V>, value: (value: V) => V = (same) => same): Map<K, V> {
  const copy = new Map<K, V>();
  for (const [key, known] of map) copy.set(key, value(known));
  return copy;
}

function copiedSet<T>(set: ReadonlySet<T>): Set<T> {
  const copy = new Set<T>();
  for (const value of set) copy.add(value);
  return copy;
}
