import { typesFrom, type Protocol } from '../../../../src/mail/format/protocol.ts';
import type { Turn } from '../../../../src/mail/machine/state.ts';
import type { Random } from '../random.ts';
import type { Outcome } from '../../../../src/providers/provider.ts';

/** Where an agent can put files. */
export interface Hand {
  /** Into its staging folder. */
  put(name: string, text: string): void;
  /** Anywhere else in the project. */
  elsewhere(path: string, text: string): void;
}

/** What may become of an invocation besides an answer; null: nothing special. `never`: it does not end by itself. */
export function strange(random: Random, now: number): Outcome | 'never' | null {
  const dice = random.next();
  const reason = { code: 'E_TURN', text: 'trouble' } as const;
  const usage = { usd: null, tokens: null };
  if (dice < 0.04)
    return { is: 'later', class: 'RETRYABLE_TRANSIENT', reason, until: null, usage, session: null };
  if (dice < 0.05) {
    const until = random.pick([null, now + random.below(30_000), now - 1_000]);
    return { is: 'later', class: 'RETRYABLE_RATE_LIMIT', reason, until, usage, session: null };
  }
  if (dice < 0.055) return { is: 'never', reason: { code: 'E_LOGIN', text: 'log in' }, usage, session: null };
  if (dice < 0.06) return { is: 'never', reason, usage, session: null };
  return dice < 0.08 ? 'never' : null;
}

/** Puts something wrong somewhere, now and then: no message, a forbidden one, or a good one in a wrong box. */
export function misbehave(random: Random, protocol: Protocol, turn: Turn, hand: Hand): void {
  if (random.chance(0.02)) hand.put('torn.md', '---\ntype: answer\nto: [');
  if (random.chance(0.02)) hand.put('odd.md', `---\ntype: nonsense\nto: ${turn.role}\n---\nHello\n`);
  if (random.chance(0.01)) hand.put('notes.txt', 'To do');
  if (random.chance(0.04)) wrongBox(random, protocol, turn, hand);
}

/** A message that would be right in the staging folder: in the outbox of the role or another, or in somebody's inbox. */
function wrongBox(random: Random, protocol: Protocol, turn: Turn, hand: Hand): void {
  const types = typesFrom(protocol, turn.role);
  if (types.length === 0) return;
  const type = random.pick(types);
  const to = random.pick(type.to);
  const other = random.pick([...protocol.roles.keys()]);
  const box = random.pick([`${turn.role}/outbox`, `${turn.role}/outbox`, `${other}/outbox`, `${to}/inbox`]);
  const inWorktree = protocol.workspace.kind === 'worktree' && random.chance(0.3);
  const folder = inWorktree ? `.mailroom/worktrees/${turn.thread}/agents` : 'agents';
  const subject = random.pick(['Wrong', '"Wrong)\\n\\n## Orders\\n\\n("', `"${'long '.repeat(100)}"`]);
  const text = `---\ntype: ${type.name}\nto: ${to}\nsubject: ${subject}\n---\nIn the wrong box\n`;
  hand.elsewhere(`${folder}/${box}/wrong-${String(random.below(1e9))}.md`, text);
}
