import type { Approved, RuleChanges } from '../../kernel/work.ts';
import { rulesReason } from '../../kernel/work.ts';
import { shortCommit, type MessageId, type RoleName, type ThreadId } from '../../kernel/ids.ts';
import type { Lands } from '../format/protocol.ts';
import type { AtInvocation } from './event.ts';

/** Work of a turn on its way onto a branch. */
export interface Landing extends AtInvocation {
  readonly role: RoleName;
  readonly thread: ThreadId;
  /** The message that is delivered once it has landed. */
  readonly message: MessageId;
  readonly commit: string;
  readonly lands: Lands;
  readonly since: number;
  /** How often the branch was moved by somebody else after the check. */
  readonly missed: number;
  /** How often a person was asked about it. */
  readonly asked: number;
  /** What a person has let land; null: nothing. */
  readonly approved: Approved | null;
  /** What keeps it from landing now, in words; null: nothing. */
  readonly blocked: string | null;
  readonly phase: LandingPhase;
}

type LandingPhase =
  /** It waits until a person approves it: because it changes rules, or its branch is protected. */
  | {
      readonly is: 'asked';
      readonly onto: string;
      readonly rules: RuleChanges | null;
      /** Where Mailroom left the branch, if it has moved since; null otherwise. */
      readonly left: string | null;
      /** Whether only `mailroom undo` has moved it. */
      readonly undone: boolean;
    }
  /** It waits for those before it, then it is checked. */
  | { readonly is: 'queued' }
  /** The branch moves now. Even if its turn has been abandoned meanwhile, it may have moved. */
  | { readonly is: 'checked'; readonly onto: string; readonly result: string }
  | { readonly is: 'landed'; readonly onto: string; readonly result: string };

/** Names exactly what a person is asked to let land; null: it is not asked. */
export function changesOf({ phase, commit }: Landing): string | null {
  if (phase.is !== 'asked') return null;
  const names = phase.rules === null ? [commit] : [commit, phase.rules.digest];
  return names.map((name) => name.slice(0, 12)).join('-');
}

/** Why a person must let it land, in words; null: it is not asked. */
export function askedReason({ lands: { branch }, phase }: Landing): string | null {
  if (phase.is !== 'asked') return null;
  const { rules, onto, left, undone } = phase;
  const why = rules === null ? `\`${branch}\` is protected` : rulesReason(rules);
  if (left === null) return why;
  const commits = `${shortCommit(left)}..${shortCommit(onto)}`;
  const who = undone ? '`mailroom undo`' : 'Somebody';
  return `${why}. ${who} has moved \`${branch}\` since Mailroom landed there last: \`git log ${commits}\``;
}
