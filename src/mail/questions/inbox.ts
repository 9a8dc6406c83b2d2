import { endOfId, shortCommit, type MessageId, type RoleName } from '../../kernel/ids.ts';
import type { TurnId } from '../../letters/target.ts';
import { mailroom, type Message } from '../format/message.ts';
import { parseMessage } from '../format/read-message.ts';
import type { Mail, MailState, Turn } from '../machine/state.ts';
import { peopleOf, type Protocol } from '../format/protocol.ts';
import {
  answerFields,
  answerTypes,
  consequenceOf,
  mayAnswer,
  replyCommands,
  requiredFields,
  turnCommand,
} from '../machine/answering.ts';
import { askedReason, changesOf, type Landing } from '../machine/landing.ts';
import { failedTitle } from '../machine/rules/notices.ts';
import { askedTitle } from '../machine/rules/questions.ts';
import { pathIn } from './messages.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { ProblemsError } from '../../project/definition/problems.ts';
import type { Project } from '../../project/project.ts';
import { approveCommand } from '../../workflow/runs/run-commands.ts';
import { iso, isoOrNull } from '../../kernel/times.ts';
import type { RunStatusDocument } from '../../documents/status.ts';
import type { InboxDocument, InboxItem } from '../../documents/inbox.ts';

/** The items that wait for people. `as`: the requested role; null: every person of the protocol. */
export interface Inbox {
  readonly as: RoleName | null;
  /** The earliest deadline first, then the longest wait; notices last, as `inOrder` says. */
  readonly items: readonly WaitingItem[];
}

export function inboxDocument({ as, items }: Inbox): InboxDocument {
  return { schema: 1, as, items: items.map(({ to: _to, ...item }) => item) };
}

/** An item with who may answer it: human roles, or the approvers of a gate; empty: any person. */
export interface WaitingItem extends InboxItem {
  readonly to: readonly string[];
}

/**
 * The items that wait for a person, or, where `as` is null, for all of them. Throws `E_TARGET`
 * where `as` is not a human role, and the problems of the protocol.
 */
export async function readInbox(project: Project, as: RoleName | null): Promise<Inbox> {
  const definition = await project.definition();
  if (!definition.ok) throw new ProblemsError(definition.problems);
  const { protocol } = definition.value;
  if (as !== null) expectPerson(protocol, as);
  const { runs } = await project.workflows.status(project.holder());
  return inboxOf(project, protocol, runs, as);
}

/** What waits for anybody, without notices; empty: also where the protocol cannot be read now. */
export async function readWaiting(project: Project): Promise<Inbox['items']> {
  try {
    const { items } = await readInbox(project, null);
    return items.filter(({ kind }) => kind !== 'notice');
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    return [];
  }
}

/** The messages that a role has answered in its outbox, not accepted by a controller yet. */
function recordedAnswers(project: Project, role: RoleName): ReadonlySet<MessageId> {
  const drafts = project.mail(role, 'outbox').map(({ text, path }) => parseMessage(text, path));
  return new Set(drafts.flatMap((draft) => (draft.ok ? (draft.value.inReplyTo ?? []) : [])));
}

/** Whether a role has put a message away, although no controller has seen it yet. */
function isPutAway({ files }: Project, message: Message, role: RoleName): boolean {
  return files.exists(pathIn('processed', message, role)) && !files.exists(pathIn('inbox', message, role));
}

/** Whether `inbox --as` lists something for a name: an approver need not be a human role. */
export async function isPerson(project: Project, name: string): Promise<boolean> {
  return (await peopleIn(project)).includes(name);
}

/** The human roles of a project; none while its protocol has problems. */
export async function peopleIn(project: Project): Promise<readonly RoleName[]> {
  const definition = await project.definition();
  return definition.ok ? peopleOf(definition.value.protocol) : [];
}

function expectPerson(protocol: Protocol, as: RoleName): void {
  const people = peopleOf(protocol);
  if (people.includes(as)) return;
  throw new MailroomError(
    'E_TARGET',
    `\`${as}\` is not a human role`,
    didYouMean(as, people) ?? `the human roles are ${people.join(', ')}`,
  );
}

/** The gates that wait for a person (`as`), or for any. */
export function approvalsOf(runs: readonly RunStatusDocument[], as: RoleName | null): WaitingItem[] {
  return runs.flatMap((run) => approvalItems(run, as)).toSorted(inOrder);
}

/** The items that wait for a person (`as`), or for all of them. */
function inboxOf(
  project: Project,
  protocol: Protocol,
  runs: readonly RunStatusDocument[],
  as: RoleName | null,
): Inbox {
  const state = project.journal.state();
  const all = peopleOf(protocol);
  const recorded = new Map(all.map((role) => [role, recordedAnswers(project, role)]));
  const isAnswered = (role: RoleName, { id }: Message) => recorded.get(role)?.has(id) === true;
  const isAsked = (role: RoleName) => as === null || role === as;
  const requests = [...state.mail.values()].flatMap((mail) => {
    const people = mayAnswer(state, mail, all).filter((role) => !isAnswered(role, mail.message));
    return people.some(isAsked) ? [requestItem(state, protocol, mail, people, as)] : [];
  });
  const questions = questionItems(state, as);
  const conflicts = conflictItems(state, as);
  const asked = new Set([
    ...[...requests, ...conflicts].map(({ id }) => id),
    ...questions.map(({ question }) => question),
  ]);
  const notices = new Map<MessageId, { readonly message: Message; readonly to: RoleName[] }>();
  for (const { message, role } of state.unread.values()) {
    if (!all.includes(role) || !isAsked(role) || asked.has(message.id)) continue;
    if (isAnswered(role, message) || isPutAway(project, message, role)) continue;
    const to = notices.get(message.id)?.to ?? [];
    notices.set(message.id, { message, to: [...to, role] });
  }
  const failed = failedTurns(state);
  const replaced = replacing(state);
  const items = [
    ...requests,
    ...approvalsOf(runs, as),
    ...landingItems(state),
    ...blockedItems(state),
    ...questions,
    ...conflicts,
    ...[...notices.values()]
      .filter(({ message }) => replaced(message) === null)
      .map(({ message, to }) => ({
        ...noticeItem(state, message, to),
        turn: message.from === mailroom ? (failed.get(message.subject) ?? null) : null,
      })),
  ];
  return { as, items: items.toSorted(inOrder) };
}

function requestItem(
  state: MailState,
  protocol: Protocol,
  mail: Mail,
  people: readonly RoleName[],
  as: RoleName | null,
): WaitingItem {
  const { message, request } = mail;
  const types = request === null ? [] : answerTypes(protocol, request.replies);
  const deadline = state.deadlines.get(message.id) ?? null;
  const fields = answerFields(protocol, types);
  return {
    ...messagePart(state, message),
    kind: 'request',
    escalated_from: escalatedFrom(mail, people),
    to: as === null ? people : [as],
    deadline: isoOrNull(deadline),
    on_timeout: deadline === null || request === null ? null : consequenceOf(state, protocol, mail),
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, { type, enum: values, required, default: usual, description }]) => [
        name,
        { type, enum: values, required, default: usual, description },
      ]),
    ),
    reply_types: types,
    command: replyCommands({
      id: message.id,
      ...(as !== null && people.length > 1 ? { as: [], given: ['--as', as] } : { as: people }),
      types,
      fields: requiredFields(protocol),
    }).join('\n'),
  };
}

function approvalItems({ run, workflow, gates }: RunStatusDocument, as: RoleName | null): WaitingItem[] {
  return gates
    .filter(({ approvers, recorded }) => recorded === null && (as === null || mayApprove(approvers, as)))
    .map(({ gate, message, approvers, choices, fields, since, deadline, on_timeout, before }) => ({
      id: `${run}/${gate}`,
      kind: 'approval',
      thread: null,
      thread_subject: null,
      turn: null,
      escalated_from: null,
      run,
      before,
      question: null,
      changes: null,
      to: approvers,
      from: workflow,
      type: 'gate',
      subject: message,
      since,
      deadline,
      on_timeout,
      fields,
      reply_types: choices,
      command: approveCommand(run, gate, { approvers: as === null ? approvers : [as], choices, fields }),
    }));
}

/** The role that was asked first where one of these people is asked in its place. */
function escalatedFrom({ request }: Mail, people: readonly RoleName[]): RoleName | null {
  const asks = [...(request?.asks ?? [])];
  const found = asks.find(
    ([recipient, ask]) =>
      ask.is === 'open' &&
      ask.escalated !== null &&
      ask.escalated !== recipient &&
      people.includes(ask.escalated),
  );
  return found?.[0] ?? null;
}

/**
 * The turns whose work conflicts with other work, until a person (`as`), or any, has resolved it.
 */
function conflictItems(state: MailState, as: RoleName | null): WaitingItem[] {
  return [...state.turns.values()].flatMap((turn) => {
    const notice = turn.conflict?.waits === true ? turn.conflict.notice : undefined;
    const message = notice === undefined ? undefined : state.mail.get(notice)?.message;
    if (message === undefined || (as !== null && !message.to.includes(as))) return [];
    return [conflictItem(state, turn, message)];
  });
}

function conflictItem(state: MailState, { id, role, messages }: Turn, message: Message): WaitingItem {
  return {
    ...noticeItem(state, message, message.to),
    kind: 'conflict',
    from: role,
    turn: id,
    command: `mailroom retry ${endOfId(messages[0] ?? message.id)}`,
  };
}

/** The work that waits until a person lets it land. */
export function landingItems(state: MailState): WaitingItem[] {
  return [...state.landings.values()]
    .filter(({ phase }) => phase.is === 'asked')
    .map((landing) => {
      const { turn, lands, commit } = landing;
      const changes = changesOf(landing);
      const what = `${shortCommit(commit)} is to land on ${lands.branch} (${askedReason(landing) ?? ''})`;
      return {
        ...landingPart(state, landing, what),
        kind: 'approval',
        reply_types: ['approve', 'reject'],
        changes,
        command: turnCommand('approve', turn, null, changes),
      };
    });
}

/** The work that cannot land before a person has changed something; then it does so unasked. */
function blockedItems(state: MailState): WaitingItem[] {
  return [...state.landings.values()].flatMap((landing) => {
    const { turn, lands, commit, blocked, phase } = landing;
    if (blocked === null || phase.is === 'asked') return [];
    const what = `${shortCommit(commit)} cannot land on ${lands.branch}: ${blocked}`;
    return [
      {
        ...landingPart(state, landing, what),
        kind: 'blocked',
        reply_types: [],
        changes: null,
        command: `mailroom why ${turn}`,
      },
    ];
  });
}

function landingPart({ threads }: MailState, { turn, thread, role, since }: Landing, what: string) {
  const task = threads.get(thread)?.subject ?? '';
  return {
    id: turn,
    thread,
    thread_subject: task === '' ? null : task,
    turn,
    escalated_from: null,
    run: null,
    before: [],
    question: null,
    to: [],
    from: role,
    type: 'landing',
    // What it is about comes first: a list is read by its first words.
    subject: task === '' ? what : `${task}: ${what}`,
    since: iso(since),
    deadline: null,
    on_timeout: null,
    fields: {},
  };
}

/** What agents ask a person (`as`), or any, to allow. */
export function questionItems({ turns, threads }: MailState, as: RoleName | null): WaitingItem[] {
  return [...turns.values()].flatMap(({ id, role, thread, phase }): WaitingItem[] => {
    if (phase.is !== 'asking' || phase.answer !== null || (as !== null && phase.person !== as)) return [];
    return [
      {
        id,
        kind: 'approval',
        thread,
        thread_subject: threads.get(thread)?.subject ?? null,
        turn: id,
        escalated_from: null,
        run: null,
        before: [],
        question: phase.notice,
        changes: null,
        to: [phase.person],
        from: role,
        type: 'permission',
        subject: askedTitle(phase.calls),
        since: iso(phase.since),
        deadline: isoOrNull(phase.until),
        on_timeout: phase.until === null ? null : 'it is refused',
        fields: {},
        reply_types: ['approve', 'reject'],
        command: turnCommand('approve', id, phase.person),
      },
    ];
  });
}

function mayApprove(approvers: readonly string[], as: RoleName): boolean {
  return approvers.length === 0 || approvers.includes(as);
}

/** The turns whose mail lies under `failed`, by the subjects of the notices that they did. */
function failedTurns({ mail }: MailState): ReadonlyMap<string, TurnId> {
  const failed = [...mail.values()].flatMap(({ deliveries }) => [...deliveries]);
  return new Map(
    failed.flatMap(([role, delivery]) =>
      delivery.at === 'failed' && delivery.turn !== undefined
        ? [[failedTitle(delivery.turn, role), delivery.turn]]
        : [],
    ),
  );
}

/** The notice that replaces another one: of a later failure of the same. Null: none does. */
export function replacing(state: MailState): (notice: Message) => MessageId | null {
  const failed = failedTurns(state);
  const failure = ({ from, subject }: Message) =>
    from === mailroom ? /^Turn t\d+ of (.+) failed$/.exec(subject)?.[1] : undefined;
  return (notice) => {
    const role = failure(notice);
    if (role === undefined || failed.has(notice.subject)) return null;
    const sent = state.threads.get(notice.thread)?.messages ?? [];
    const last = sent
      .flatMap((id) => state.mail.get(id)?.message ?? [])
      .findLast((each) => failure(each) === role);
    return last === undefined || last.id === notice.id ? null : last.id;
  };
}

/** A message that is only to be read. */
export function noticeItem(state: MailState, message: Message, to: readonly RoleName[]): WaitingItem {
  return {
    ...messagePart(state, message),
    kind: 'notice',
    escalated_from: null,
    to,
    deadline: null,
    on_timeout: null,
    fields: {},
    reply_types: [],
    command: `mailroom show ${endOfId(message.id)}`,
  };
}

function messagePart({ threads }: MailState, { id, thread, from, type, subject, created }: Message) {
  const whose = { thread, thread_subject: threads.get(thread)?.subject ?? null };
  const none = { turn: null, run: null, before: [], question: null, changes: null };
  return { id, ...whose, ...none, from, type, subject, since: iso(created) };
}

function inOrder(a: InboxItem, b: InboxItem): number {
  const rank = ({ kind, turn, deadline }: InboxItem) =>
    kind === 'notice' ? (turn === null ? 3 : 2) : deadline === null ? 1 : 0;
  const time = ({ deadline, since }: InboxItem) => Date.parse(deadline ?? since ?? '') || 0;
  const later = time(a) - time(b) || (a.id < b.id ? -1 : 1);
  return rank(a) - rank(b) || (a.kind === 'notice' ? -later : later);
}
