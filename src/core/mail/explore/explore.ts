import { apply } from '../apply.ts';
import { decide } from '../decide.ts';
import { stamp, type Fact, type MailEvent, type Sent } from '../event.ts';
import type { Draft } from '../message.ts';
import type { Protocol } from '../protocol.ts';
import { emptyState, type MailState } from '../state.ts';
import { address } from '../rules/address.ts';
import { canonical } from './canonical.ts';
import { movesOf, type Move } from './moves.ts';

/** How far to look. */
export interface Bounds {
  /** Threads that people start. */
  readonly threads: number;
  /** Messages on the way to a state. */
  readonly depth: number;
  /** States that are looked at. */
  readonly states: number;
  /** True when it has taken long enough: core has no clock. */
  readonly enough: () => boolean;
}

/** A way to leave somebody waiting for ever. */
export interface StuckState {
  /** `user → architect: task`, one line a message, in order. */
  readonly path: readonly string[];
  /** Who waits for what. */
  readonly why: string;
}

export interface Exploration {
  /** The shortest way first; one for each reason. */
  readonly stuck: readonly StuckState[];
  /** False: the bounds ended it, and there may be more. */
  readonly complete: boolean;
  readonly states: number;
}

interface Node {
  readonly state: MailState;
  readonly path: readonly string[];
}

/** Kinds of stuck states after which more would only repeat what is wrong. */
const mostFound = 5;
/** Nothing takes time here: deadlines lie ahead, and keep those who wait alive. */
const instant = 0;

/**
 * Plays a protocol with the real machine, in all ways that its agents may end their turns, shortest ways first, and finds
 * the states in which somebody waits for what can never come. Deterministic; failures and timeouts are not played.
 */
export function explore(protocol: Protocol, bounds: Bounds): Exploration {
  const quick: Protocol = {
    ...protocol,
    concurrency: Number.MAX_SAFE_INTEGER,
    limits: { ...protocol.limits, ...unlimited },
  };
  const seen = new Set<string>();
  const found = new Map<string, StuckState>();
  let level: Node[] = [{ state: emptyState(), path: [] }];
  let complete = true;
  for (let depth = 0; depth < bounds.depth && level.length > 0; depth += 1) {
    const next: Node[] = [];
    for (const node of level)
      for (const move of movesOf(node.state, quick, bounds.threads)) {
        if (seen.size >= bounds.states || bounds.enough() || found.size >= mostFound)
          return { stuck: [...found.values()], complete: false, states: seen.size };
        const after = play(node, quick, move);
        if (after === null) continue;
        if (after.stuck !== null) {
          if (!found.has(after.stuck)) found.set(after.stuck, { path: after.path, why: after.stuck });
          continue;
        }
        const name = canonical(after.state);
        if (seen.has(name)) continue;
        seen.add(name);
        next.push(after);
      }
    level = next;
  }
  if (level.length > 0) complete = false;
  return { stuck: [...found.values()], complete, states: seen.size };
}

const noBudget = { usd: null, tokens: null };
const unlimited = {
  turnsPerThread: Number.MAX_SAFE_INTEGER,
  threadBudget: noBudget,
  dayBudget: noBudget,
  corrections: 0,
};

/** The state after a move and all that follows of itself; null when the protocol forbids the move. */
function play(node: Node, protocol: Protocol, move: Move): (Node & { readonly stuck: string | null }) | null {
  const state = structuredClone(node.state);
  const drafts = move.by === 'turn' ? move.drafts : [move.draft];
  const sent: Sent[] = [];
  for (const [index, draft] of drafts.entries()) {
    const one = addressed(state, protocol, move, draft, index);
    if (one === null) return null;
    sent.push(one);
  }
  const events: Fact[] =
    move.by === 'turn' ? ended(move, sent) : sent.map((one) => ({ type: 'accepted', sent: one }));
  const after = events.reduce((folded, event) => record(folded, event), state);
  if (move.by === 'turn' && after.turns.get(move.turn.id)) return null;
  const path = [
    ...node.path,
    ...sent.map(({ message }) => `${message.from} → ${message.to.join(', ')}: ${message.type}`),
  ];
  return { ...settle(after, protocol), path };
}

function addressed(
  state: MailState,
  protocol: Protocol,
  move: Move,
  draft: Draft,
  index: number,
): Sent | null {
  const id = idOf(state, index);
  const stamps = { id, created: instant };
  const author =
    move.by === 'turn'
      ? {
          role: move.turn.role,
          thread: move.turn.thread,
          owes: move.turn.owes,
          mustAnswer: move.turn.mustAnswer,
          turn: true,
          ...stamps,
        }
      : { role: move.role, thread: null, owes: [], mustAnswer: false, turn: false, ...stamps };
  const one = address(state, protocol, author, draft);
  return 'problems' in one ? null : one.sent;
}

function idOf(state: MailState, index: number): string {
  return `${String(state.events)}.${String(index)}`;
}

/** What the journal says when a turn ends well. */
function ended({ turn }: Extract<Move, { by: 'turn' }>, sent: readonly Sent[]): Fact[] {
  const key = { turn: turn.id, attempt: turn.attempt, round: turn.round };
  const result = {
    text: '',
    staged: [],
    finalText: null,
    violations: [],
    usage: { usd: 0, tokens: 0 },
    session: null,
    model: null,
    exit: 0,
    durationMs: 0,
  };
  return [
    { type: 'returned', result, ...key },
    { type: 'committed', turn: turn.id, sent },
  ];
}

function record(state: MailState, fact: Fact): MailState {
  let count = 0;
  const event: MailEvent = stamp(fact, instant, () => `n${idOf(state, (count += 1))}`);
  const after = apply(state, event);
  after.undrawn.clear();
  return after;
}

/** Lets the machine decide until it has nothing more to say, or says that somebody is stuck. */
function settle(start: MailState, protocol: Protocol): { state: MailState; stuck: string | null } {
  let state = start;
  for (;;) {
    const { facts } = decide(state, protocol, instant);
    if (facts.length === 0) return { state, stuck: null };
    for (const fact of facts) {
      const stuck = whyStuck(state, fact);
      if (stuck !== null) return { state, stuck };
      state = record(state, fact);
    }
  }
}

function whyStuck(state: MailState, fact: Fact): string | null {
  if (fact.type === 'failed-back') return fact.reason.text.replaceAll(/\((\S+): [^)]*\)/g, '($1)');
  if (fact.type !== 'quieted') return null;
  const left = (state.threads.get(fact.thread)?.messages ?? []).flatMap((id) => {
    const mail = state.mail.get(id);
    return [...(mail?.deliveries ?? [])]
      .filter(([, { at }]) => at === 'inbox')
      .map(([role]) => `${mail?.message.type ?? ''} for ${role}`);
  });
  return left.length > 0
    ? `nobody takes up ${[...new Set(left)].join(', ')}: what it is taken up with never comes`
    : null;
}
