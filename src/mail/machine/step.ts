import type { Sent } from './event.ts';
import { subjectLine, type Message } from '../format/message.ts';
import { isHuman, stepResult, workflowRole, type Protocol } from '../format/protocol.ts';
import type { Mail, MailState } from './state.ts';
import type { StepAnswer, StepRequest, StepNotice } from '../../letters/letters.ts';
import { roleCheckout } from '../../kernel/work.ts';
import type { ThreadId } from '../../kernel/ids.ts';
import type { TurnId } from '../../letters/target.ts';
import type { Reason } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';

/*
 * Steps of workflows that roles perform. A step is a request of the built-in role `workflow` that
 * owes a `step-result`; the machine knows nothing else of runs. The run receives the result as a
 * file in its own inbox.
 */

/** A message that is a step of a run. */
export function isStep({ type, from }: Pick<Message, 'type' | 'from'>): boolean {
  return type === 'step' && from === workflowRole;
}

/** The steps that a turn owes a result to. */
export function owedSteps({ mail, turns }: MailState, turn: TurnId): Message[] {
  const owed = turns.get(turn)?.owes.flatMap(({ request }) => mail.get(request)?.message ?? []) ?? [];
  return owed.filter(isStep);
}

/** The step that a thread was started for; null: the thread has another origin. */
export function stepOf(state: MailState, thread: ThreadId): Mail | null {
  const mail = state.mail.get(thread);
  return mail && isStep(mail.message) ? mail : null;
}

/** The step as a message, accepted now. The protocol must have the role. */
export function sentStep(protocol: Protocol, letter: StepRequest, now: number): Sent {
  const { run, fields, timeout } = letter;
  const deadline = timeout === null ? null : now + timeout;
  const replies = [stepResult.name];
  const request = { replies, blocks: 'none', deadline, onTimeout: 'fail', escalateTo: 'user' } as const;
  const sent = sentByRun(protocol, letter, 'step', { ...fields, run }, now);
  return {
    ...sent,
    message: { ...sent.message, work: letter.work && { ...letter.work, landed: null } },
    request,
  };
}

/**
 * A run's notice to a role, accepted now. The protocol must have the role; a person's notice leaves
 * no thread open.
 */
export function sentNotice(protocol: Protocol, letter: StepNotice, now: number): Sent {
  const closes = isHuman(protocol, letter.role);
  return { ...sentByRun(protocol, letter, 'notice', { run: letter.run }, now), closes };
}

function sentByRun(
  protocol: Protocol,
  { id, role, subject, body }: StepNotice,
  type: string,
  fields: JsonObject,
  now: number,
): Sent {
  return {
    message: {
      id,
      type,
      from: workflowRole,
      to: [role],
      thread: id,
      inReplyTo: null,
      subject: subjectLine(subject),
      created: now,
      work: null,
      attachments: [],
      fields,
      extra: {},
      body,
    },
    request: null,
    answers: null,
    late: false,
    closes: false,
    joins: [],
    people: isHuman(protocol, role) ? [role] : [],
    opens: null,
  };
}

/** The answer to a step that could not be accepted. */
export function turnedAway({ id, run }: Pick<StepRequest, 'id' | 'run'>, reason: Reason): StepAnswer {
  const outcome = { is: 'failed', class: 'NON_RETRYABLE', reason, timedOut: false } as const;
  return { id, run, outcome, text: '', values: {}, work: null, usage: { usd: 0, tokens: 0 }, durationMs: 0 };
}

/** The answer to a finished step; null while it is not finished. */
export function answerOf(state: MailState, step: Mail): StepAnswer | null {
  const [ask] = [...(step.request?.asks.values() ?? [])];
  if (!ask || ask.is === 'open') return null;
  const { id, fields, created } = step.message;
  const thread = state.threads.get(step.message.thread);
  const cost = thread?.cost ?? { usd: 0, tokens: 0, unpriced: 0 };
  const reply = ask.is === 'answered' ? state.mail.get(ask.by)?.message : undefined;
  const whole = {
    id,
    run: typeof fields['run'] === 'string' ? fields['run'] : '',
    usage: cost.unpriced > 0 ? { usd: null, tokens: null } : { usd: cost.usd, tokens: cost.tokens },
    durationMs: Math.max(0, state.now - created),
  };
  if (reply)
    return { ...whole, outcome: { is: 'done' }, text: reply.body, values: reply.fields, work: workOf(reply) };
  const reason = thread?.reason ?? {
    code: 'E_CANCELLED',
    text: `the thread was closed before ${step.message.to.join(', ')} had answered`,
  };
  const deadline = step.request?.deadline ?? null;
  const timedOut = reason.code === 'E_TIMEOUT' && deadline !== null && state.now >= deadline;
  const errorClass = reason.class ?? (reason.code === 'E_TIMEOUT' ? 'RETRYABLE_TRANSIENT' : 'NON_RETRYABLE');
  const { code, text } = reason;
  const outcome = { is: 'failed', class: errorClass, reason: { code, text }, timedOut } as const;
  return { ...whole, outcome, text: '', values: {}, work: null };
}

function workOf({ work, thread, from }: Message): StepAnswer['work'] {
  if (work === null) return null;
  const { commit, branch } = work;
  return { commit, branch, worktree: `.mailroom/worktrees/${roleCheckout(thread, from)}` };
}
