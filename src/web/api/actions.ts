import type { Json } from '../../kernel/json.ts';
import { ask, at, send } from './client.ts';
import type { Sending } from '../../documents/mail.ts';
import type { PlanDocument } from '../../documents/workflows.ts';

type Values = Readonly<Record<string, Json>>;

/** What a person writes to roles, or answers. */
export interface WrittenMessage {
  readonly type?: string;
  readonly subject?: string;
  readonly text: string;
  readonly fields: Values;
}

export interface NewMessage extends WrittenMessage {
  readonly to: readonly string[];
  readonly thread?: string;
}

/** The result of a command: `recorded` takes effect when a controller reads it. */
export interface CommandResult {
  readonly state: 'done' | 'refused' | 'recorded';
  readonly reason?: string | null;
}

export async function sendMessage(letter: NewMessage): Promise<Sending> {
  return await send('/messages', letter);
}

export async function reply(message: string, letter: WrittenMessage): Promise<Sending> {
  return await send(`${at('messages', message)}/reply`, letter);
}

export interface ApprovalAnswer {
  readonly choice?: string;
  readonly comment?: string;
  /** Of a turn: the changes that were shown. */
  readonly changes?: string;
  readonly fields: Values;
}

/** `run` null: `gate` is the turn whose work is to land. */
export async function judge(
  run: string | null,
  gate: string,
  verb: 'approve' | 'reject',
  answer: ApprovalAnswer,
): Promise<CommandResult> {
  if (run === null) {
    const { fields: _fields, choice: _choice, ...said } = answer;
    return await send(`${at('turns', gate)}/${verb}`, said);
  }
  return await send(`${at('workflow-runs', run, 'gates', gate)}/${verb}`, answer);
}

/** Pauses, continues, cancels or repeats what a path names, such as `/roles/qa` or `/turns/t3`. */
export async function command(
  path: string,
  verb: 'pause' | 'unpause' | 'cancel' | 'retry' | 'resume',
): Promise<CommandResult> {
  return await send(`${path}/${verb}`, {});
}

/** The most notices that one request moves. */
const mostNotices = 1_000;

/** Puts notices away: they leave the inbox, and nothing is deleted. Or puts them back. */
export async function moveNotices(ids: readonly string[], where: 'done' | 'back'): Promise<void> {
  for (let from = 0; from < ids.length; from += mostNotices)
    await send(`/inbox/${where}`, { ids: ids.slice(from, from + mostNotices) });
}

/** Orders a worker to do something. */
export async function order(worker: string, what: 'drain' | 'pause' | 'unpause'): Promise<void> {
  await send(`${at('workers', worker)}/${what}`, {});
}

/**
 * Runs a failed step of a run, and the steps after it, again. `instructions` replace those of the
 * definition; empty: they do not.
 */
export async function retryStep(run: string, step: string, instructions: string): Promise<CommandResult> {
  return await send(at('workflow-runs', run, 'retry', step), instructions === '' ? {} : { instructions });
}

/** `text`: unsaved, in the place of the stored one; null: there is none. */
export async function planOf(
  workflow: string,
  parameters: Values,
  text: string | null,
): Promise<PlanDocument> {
  return await ask('POST', `${at('workflows', workflow)}/plan`, {
    parameters,
    ...(text !== null && { text }),
  });
}

/** `usd`: the run stops at this cost; null: only at the limit of the workflow. */
export async function startRun(
  workflow: string,
  parameters: Values,
  usd: number | null,
): Promise<{ readonly run: string }> {
  const budget = usd === null ? {} : { budget: { usd } };
  return await send(`${at('workflows', workflow)}/run`, { parameters, ...budget });
}
