import type { Fact } from '../event.ts';
import type { Protocol } from '../../format/protocol.ts';
import type { MailState } from '../state.ts';
import { lineage } from '../fold/work.ts';
import { failThreadFact } from './notices.ts';
import { RoleScan, ageOf, ranks, type Candidate } from './scan.ts';
import { holdsOf, isHeld, type Slots } from './slots.ts';
import type { ThreadId } from '../../../kernel/ids.ts';

/**
 * The turns that start now: replies before requests before the rest, the oldest first, within
 * slots, folders and budgets. Fails a thread that can never continue.
 */
export function claims(state: MailState, protocol: Protocol, slots: Slots, now: number): Fact[] {
  const candidates: Candidate[] = pending(state, protocol, slots, now);
  for (const role of protocol.roles.values()) {
    const holds = protocol.workspace.kind === 'worktree' ? null : holdsOf(protocol, role, '');
    if (role.provider === 'human' || !state.roles.has(role.name) || slots.closed(role, holds)) continue;
    candidates.push(...new RoleScan(state, protocol, slots, role).candidates());
  }
  candidates.sort((a, b) => a.rank - b.rank || a.order - b.order);
  const facts: Fact[] = [];
  const failed = new Set<ThreadId>();
  for (const candidate of candidates) {
    const { thread } = candidate;
    if (failed.size > 0 && lineage(state, thread).some(({ id }) => failed.has(id))) continue;
    const verdict = slots.verdict(candidate);
    if (isHeld(verdict)) continue;
    if (verdict === 'now') {
      slots.take(candidate);
      facts.push(candidate.start);
    } else {
      failed.add(thread);
      facts.push(failThreadFact(state, thread, verdict));
    }
  }
  return facts;
}

/** Turns whose pause before the next attempt is over, or whose question is answered. */
function pending(state: MailState, protocol: Protocol, slots: Slots, now: number): Candidate[] {
  const found: Candidate[] = [];
  for (const turn of state.turns.values()) {
    const role = protocol.roles.get(turn.role);
    const { thread, holds, budget, priority, messages, phase } = turn;
    const isAnswered = phase.is === 'asking' && phase.answer !== null;
    if (!role || (!isAnswered && (phase.is !== 'pending' || phase.notBefore > now))) continue;
    const order = ageOf(state, priority, messages);
    const provider = slots.provider(role) ?? role.provider;
    const start: Fact = isAnswered
      ? { type: 'continued', turn: turn.id }
      : { type: 'resumed', turn: turn.id, provider };
    found.push({ role, thread, holds, budget, turn, rank: ranks[priority], order, start });
  }
  return found;
}
