import { isHuman, providersOf, type Protocol } from '../../format/protocol.ts';
import type { Pause } from '../../../kernel/commands.ts';
import type { Mail, MailState, Turn } from '../state.ts';
import { askedTitle } from '../rules/questions.ts';
import { occupies, pausedThread, type Hold, type LaunchNeeds } from '../rules/slots.ts';
import { listed } from '../../../kernel/enumerate.ts';
import { codeSpan } from '../../../kernel/quoting.ts';
import { because, type OtherAgents } from '../../../kernel/why.ts';
import { causedBy, type MailAct, type MailWhy } from './words.ts';
import { shortId, type RoleName, type ThreadId } from '../../../kernel/ids.ts';

/**
 * What a hold of `decide` means for a launch: the record that caused it, its end and its remedy.
 */
export function heldWhy(
  state: MailState,
  protocol: Protocol,
  hold: Exclude<Hold, 'concurrency' | 'day_budget'>,
  launch: LaunchNeeds,
): MailWhy {
  const { role, thread, holds } = launch;
  const turns = [...state.turns.values()];
  switch (hold) {
    case 'paused':
      return pausedWhy(state, launch);
    case 'inbox_missing':
      return inboxMissing(role.name);
    case 'usage_limit': {
      const providers = providersOf(role);
      const until = Math.min(...providers.map((provider) => state.parked.get(provider) ?? Infinity));
      const text = `${listed(providers)} ${providers.length === 1 ? 'is' : 'are'} rate limited`;
      return because(hold, text, { until: Number.isFinite(until) ? until : null });
    }
    case 'conflict': {
      const { turn } = launch;
      const [message] = turn?.messages ?? [];
      const who = turn === null ? role.name : turnWords(turn);
      return because(
        hold,
        `${who} waits until a person has resolved a conflict: ${turn?.conflict?.text ?? ''}`,
        {
          cause: turn === null ? null : causedBy(turn),
          act: message === undefined ? null : { do: 'retry', message, role: role.name },
        },
      );
    }
    case 'workspace': {
      const holder = turns.find((turn) => occupies(turn) && turn.holds === holds);
      const text = `the workspace is held by ${holder === undefined ? 'another turn' : turnWords(holder)}`;
      return behind(hold, text, holder === undefined ? [] : [holder]);
    }
    case 'turn_open': {
      const open = turns.filter((turn) => turn.role === role.name && turn.thread === thread);
      return behind(hold, `${open.map(turnWords).join() || 'another turn'} comes first in this thread`, open);
    }
    case 'last_turn': {
      const open = turns.filter((turn) => turn.thread === thread);
      const most = String(protocol.limits.turnsPerThread);
      return behind(
        hold,
        `the thread has used its ${most} turns, and ${open[0]?.id ?? 'one'} may still close it`,
        open,
      );
    }
    case 'budget':
      return reservedWhy(state);
    default:
      return hold satisfies never;
  }
}

function reservedWhy({ turns, threads }: MailState): MailWhy {
  const running = [...turns.values()].filter(({ reserved }) => reserved);
  const isShared = [...threads.values()].some(({ parent, state }) => parent !== null && state === 'open');
  const by = [...(running.length > 0 ? ['running turns'] : []), ...(isShared ? ['open sub-threads'] : [])];
  return behind('budget', `the rest of the budget is reserved for ${listed(by)}`, running);
}

/**
 * A role without a free slot: its own slots are in use, or those of the project, perhaps by other
 * roles or runs. `others`: the agents of runs.
 */
export function slotsWhy(
  state: MailState,
  protocol: Protocol,
  { name, concurrency }: LaunchNeeds['role'],
  others: OtherAgents,
): MailWhy {
  const busy = [...state.turns.values()].filter(occupies);
  const own = busy.filter(({ role }) => role === name);
  if (own.length >= concurrency) return behind('concurrency', slotsInUse(concurrency, name), own);
  const text = slotsInUse(protocol.concurrency, 'the project');
  const other = busy.find(({ role }) => role !== name);
  if (other === undefined && others.agents === 0) return behind('concurrency', text, own);
  const users = [
    ...new Set(busy.map(({ role }) => role)),
    ...(others.agents === 0 ? [] : ['runs of workflows']),
  ];
  return because('slots_taken', `${text} by ${listed(users)}`, {
    cause: other === undefined ? others.first : causedBy(other),
  });
}

function slotsInUse(most: number, whose: string): string {
  if (most === 0) return 'no slot is free';
  return most === 1
    ? `the only slot of ${whose} is in use`
    : `all ${String(most)} slots of ${whose} are in use`;
}

/** A turn whose agent asks for something that a person has not decided. */
export function askingWhy(
  turn: Turn,
  { calls, person, until }: Extract<Turn['phase'], { readonly is: 'asking' }>,
): MailWhy {
  const what = codeSpan(askedTitle(calls));
  return because('waiting_for_approval', `${turnWords(turn)} waits until ${person} decides about ${what}`, {
    cause: causedBy(turn),
    until,
    act: { do: 'approve', turn: turn.id },
  });
}

/** A turn that failed, until its next attempt. */
export function backoffWhy(turn: Turn, until: number): MailWhy {
  const { lastFailure } = turn;
  const failure = lastFailure === null ? '' : `: ${lastFailure.code}: ${lastFailure.text}`;
  return because('backoff', `${turnWords(turn)} failed and starts again${failure}`, {
    cause: causedBy(turn),
    until,
  });
}

/** A role that the protocol does not have any more. */
export function removed(name: RoleName): MailWhy {
  return because('role_removed', `the protocol has no role \`${name}\` any more`);
}

/** A role whose inbox folder a person removed; `unpause` shows its mail again. */
export function inboxMissing(role: RoleName): MailWhy {
  return because('inbox_missing', `the inbox of ${role} is gone, with mail in it`, {
    act: { do: 'unpause', target: { kind: 'role', role } },
  });
}

/** `turn t7 of backend`. */
export function turnWords({ id, role }: Turn): string {
  return `turn ${id} of ${role}`;
}

function behind(hold: Hold, text: string, [first]: readonly Turn[]): MailWhy {
  return because(hold, text, first === undefined ? {} : { cause: causedBy(first) });
}

/** Why nothing of a role starts, with mail or without; null: it is not paused. */
export function rolePaused({ paused }: MailState, name: RoleName): MailWhy | null {
  if (paused.all !== null) return pausedBy('everything', paused.all, { kind: 'all' });
  const ofRole = paused.roles.get(name);
  return ofRole === undefined ? null : pausedBy(name, ofRole, { kind: 'role', role: name });
}

function pausedWhy(state: MailState, { role, thread }: LaunchNeeds): MailWhy {
  const ofRole = rolePaused(state, role.name);
  if (ofRole !== null) return ofRole;
  const paused = pausedThread(state, thread) ?? thread;
  const target = { kind: 'thread', thread: paused } as const;
  return pausedBy(`thread ${shortId(paused)}`, state.paused.threads.get(paused), target);
}

/** `pause` undefined: a host holds it, as if it were paused. */
function pausedBy(
  what: string,
  pause: Pause | undefined,
  target: Extract<MailAct, { do: 'unpause' }>['target'],
): MailWhy {
  const by = pause === undefined ? '' : ` by ${pause.by}`;
  return because('paused', `${what} is paused${by}`, {
    cause: pause === undefined ? null : { record: pause.by, at: pause.at },
    act: { do: 'unpause', target },
  });
}

/** A join that lacks messages: which types, and the roles that may send them. */
export function joinWhy(
  state: MailState,
  protocol: Protocol,
  { message }: Mail,
  role: LaunchNeeds['role'],
): { readonly why: MailWhy; readonly senders: readonly RoleName[] } {
  const cause = { record: message.id, at: message.created };
  const clause = role.expects.find(({ kind, types }) => kind === 'all' && types.includes(message.type));
  const there = new Set(typesWaiting(state, role.name, message.thread));
  const missing = (clause?.types ?? []).filter((type) => !there.has(type));
  const needs = missing.map(
    (type) => `\`${type}\` from ${listed(protocol.types.get(type)?.from ?? [], 'or')}`,
  );
  const lacks = missing.find((type) =>
    protocol.types.get(type)?.from.some((sender) => isHuman(protocol, sender)),
  );
  const why = because<MailAct>('join_incomplete', `${role.name} also needs ${listed(needs)}`, {
    cause,
    act: lacks === undefined ? null : { do: 'send', to: role.name, thread: message.thread, type: lacks },
  });
  return { why, senders: [...new Set(missing.flatMap((type) => protocol.types.get(type)?.from ?? []))] };
}

function typesWaiting(state: MailState, role: string, thread: ThreadId): string[] {
  const ids = state.roles.get(role)?.inThread.get(thread) ?? [];
  return [...ids].flatMap((id) => state.mail.get(id)?.message.type ?? []);
}
