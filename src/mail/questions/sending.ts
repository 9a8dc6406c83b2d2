import { isDeepStrictEqual } from 'node:util';
import { orElse } from '../../kernel/contained.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Draft } from '../format/message.ts';
import type { Protocol } from '../format/protocol.ts';
import { markOfSent } from '../mailboxes/mail-files.ts';
import { authorOf } from '../machine/rules/author.ts';
import { address } from '../machine/rules/address.ts';
import { admit } from '../machine/rules/admit.ts';
import type { MailState } from '../machine/state.ts';
import { patience, waitFor } from '../../workflow/runs/waiting.ts';
import type { Project } from '../../project/project.ts';
import { reference, referred } from './reference.ts';
import type { RoleName, ThreadId } from '../../kernel/ids.ts';
import type { TurnId } from '../../letters/target.ts';
import type { Json } from '../../kernel/json.ts';
import type { Sending } from '../../documents/mail.ts';

/**
 * The protocol on disk, to fill in defaults; the controller may have an older one. Null: it is
 * invalid.
 */
export async function writtenProtocol(project: Project): Promise<Protocol | null> {
  const definition = await project.definition();
  return definition.ok ? definition.value.protocol : null;
}

/** A protocol to check against, if it is certainly the controller's; null: unknown. */
async function currentProtocol(project: Project, state: MailState): Promise<Protocol | null> {
  const definition = await project.definition();
  if (!definition.ok) return null;
  const other = project.holder() !== null && definition.value.hash() !== state.protocol;
  return other ? null : definition.value.protocol;
}

/**
 * Puts a message into the outbox of a role and waits for the controller's verdict. What the
 * protocol forbids is refused before anything is written. Throws `E_FORBIDDEN`, or `E_MESSAGE` with
 * the controller's reason. `mark`: one with the mark of an earlier message has been sent.
 */
export async function submit(
  project: Project,
  role: RoleName,
  draft: Draft,
  clock: () => number,
  mark = project.newId().slice(-12),
): Promise<Sending> {
  const state = project.journal.state();
  const before = sentBefore(project, mark);
  if (before !== null) return before;
  const protocol = await currentProtocol(project, state);
  const drop = { role, box: 'outbox', id: 'new', created: clock() } as const;
  if (protocol) forbid(admit(state, protocol, drop, draft));
  const path = project.drop(role, 'outbox', nameOf(mark), markedText(draft, mark));
  const controller = project.holder() !== null;
  const recorded = { schema: 1, state: 'recorded', path, controller, reference: mark } as const;
  if (!controller) return recorded;
  const word = await waitFor(project, clock, patience, () => wordOf(project, mark));
  return word === undefined ? recorded : expectSent(word);
}

/** What became of the message with a mark; null: none is known. Throws as `submit`. */
export function sentBefore(project: Project, mark: string): Sending | null {
  const word = wordOf(project, mark);
  return word === undefined ? null : expectSent(word);
}

function expectSent(word: Exclude<ReturnType<typeof wordOf>, undefined>): Sending {
  if ('refusal' in word) throw new MailroomError('E_MESSAGE', word.refusal, 'nothing was sent');
  return word;
}

/** Milliseconds in which a repeated message may be the second try of a command that was killed. */
const recently = 600_000;

/**
 * Where an equal message of this role is already: a waiting file of its outbox, or one that was
 * accepted in the last ten minutes. Null: there is none.
 */
export function twinOf(
  project: Pick<Project, 'names' | 'files' | 'journal'>,
  role: RoleName,
  draft: Draft,
  now: number,
): string | null {
  const waiting = project.names(role, 'outbox').find((name) => {
    const mark = markOfSent(name);
    return mark !== null && project.files.read(`agents/${role}/outbox/${name}`) === markedText(draft, mark);
  });
  if (waiting !== undefined) return `agents/${role}/outbox/${waiting}`;
  const sent = [...project.journal.state().mail.values()].findLast(
    ({ message }) =>
      message.from === role &&
      now - message.created < recently &&
      isSaid(draft.to, message.to) &&
      isSaid(draft.type, message.type) &&
      isSaid(draft.thread, message.thread) &&
      isSaid(draft.subject, message.subject) &&
      draft.inReplyTo === message.inReplyTo &&
      isDeepStrictEqual(draft.fields, message.fields) &&
      draft.body === message.body,
  );
  return sent?.message.id ?? null;
}

/** Whether a message has what its draft said; the controller completes the rest. */
function isSaid(said: unknown, sent: unknown): boolean {
  return said === null || isDeepStrictEqual(said, sent);
}

/** The name of a message file with this reference. */
export function nameOf(mark: string): string {
  return `send-${mark}.md`;
}

function markedText(draft: Draft, mark: string): string {
  return draftText({ ...draft, extra: { ...draft.extra, [reference]: mark } });
}

/** The turn of the calling agent. */
export interface TurnPlace {
  readonly id: TurnId;
  readonly attempt: number;
  readonly role: RoleName;
  readonly thread: ThreadId;
  /** Its staging folder, absolute. */
  readonly outbox: string;
}

/**
 * Refuses the call of a process whose attempt is over: nothing reads what it writes any more.
 * Without access to the project, and on another host, only the controller knows.
 */
export function refuseEnded(project: Pick<Project, 'journal'>, { id, attempt, thread }: TurnPlace): void {
  const state = orElse(() => project.journal.state(), null);
  if (state?.threads.has(thread) !== true) return;
  const turn = state.turns.get(id);
  if (turn?.phase.is === 'active' && turn.attempt === attempt) return;
  throw new MailroomError(
    'E_REFUSED',
    `attempt ${String(attempt)} of turn ${id} is over`,
    'end this process: nothing reads what it writes, and nothing was written',
  );
}

/** Writes a message into the staging folder of the calling turn. */
export async function stageInTurn(project: Project, turn: TurnPlace, draft: Draft): Promise<Sending> {
  refuseEnded(project, turn);
  const problems = await forbiddenInTurn(project, turn.id, draft);
  forbid({ problems });
  const name = `send-${project.newId().slice(-12)}.md`;
  const path = project.stage(turn.outbox, name, draftText(draft));
  return { schema: 1, state: 'staged', path, turn: turn.id };
}

/**
 * Why the protocol forbids it. Without access to the project, as some agents have none, only the
 * controller checks.
 */
async function forbiddenInTurn(project: Project, id: TurnId, draft: Draft): Promise<readonly string[]> {
  try {
    const state = project.journal.state();
    const turn = state.turns.get(id);
    const protocol = await currentProtocol(project, state);
    if (!turn || !protocol) return [];
    const author = authorOf(state, turn, { id: 'new', created: state.now });
    const addressed = address(state, protocol, author, draft);
    return 'problems' in addressed ? addressed.problems : [];
  } catch {
    return [];
  }
}

function forbid(addressed: object & { readonly problems?: readonly string[] }): void {
  const problems = addressed.problems ?? [];
  if (problems.length === 0) return;
  throw new MailroomError('E_FORBIDDEN', problems.join('; '), 'nothing was sent');
}

/**
 * The controller's verdict on a message, by its reference, from the journal; undefined: none yet.
 */
export function wordOf(
  project: Pick<Project, 'journal'>,
  mark: string,
): Extract<Sending, { state: 'accepted' }> | { readonly refusal: string } | undefined {
  const state = project.journal.state();
  const id = referred(state, mark);
  const message = id === null ? undefined : state.mail.get(id)?.message;
  if (message) {
    const { type, to, thread } = message;
    return { schema: 1, state: 'accepted', id: message.id, thread, type, to };
  }
  for (const { message: notice } of state.unread.values())
    if (notice.subject.startsWith('Refused: ') && notice.subject.endsWith(`/outbox/${nameOf(mark)}`))
      return { refusal: reasons(notice.body) };
  return undefined;
}

/** The list in the notice of a refusal, as one line. */
function reasons(body: string): string {
  const lines = body.split('\n').filter((line) => line.startsWith('- '));
  return lines.length > 0 ? lines.map((line) => line.slice(2)).join('; ') : body;
}

/** JSON, which is YAML, without the characters that YAML forbids. */
function value(json: Json): string {
  return JSON.stringify(json).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A draft as a message file. Missing keys are left to the controller. */
export function draftText(draft: Draft): string {
  const { type, to, thread, inReplyTo, subject, attachments, fields, extra, body } = draft;
  const said: [string, Json][] = [];
  if (type !== null) said.push(['type', type]);
  if (to !== null) said.push(['to', [...to]]);
  if (thread !== null) said.push(['thread', thread]);
  if (inReplyTo !== null) said.push(['in_reply_to', inReplyTo]);
  if (subject !== null) said.push(['subject', subject]);
  if (attachments.length > 0) said.push(['attachments', [...attachments]]);
  if (Object.keys(fields).length > 0) said.push(['fields', { ...fields }]);
  const lines = said.map(([key, json]) => `${key}: ${value(json)}\n`);
  const others = Object.entries(extra).map(([key, json]) => `${value(key)}: ${value(json)}\n`);
  return `---\n${lines.join('')}${others.join('')}---\n${body}`;
}
