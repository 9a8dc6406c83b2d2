import { endOfId, shortCommit, type MessageId, type RoleName } from '../../kernel/ids.ts';
import type { Message } from '../format/message.ts';
import { parseMessage } from '../format/read-message.ts';
import type { Mail, MailState } from '../machine/state.ts';
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
import { askedReason, changesOf } from '../machine/landing.ts';
import { askedTitle } from '../machine/rules/questions.ts';
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
  /** The earliest deadline first, then the longest wait; notices last. */
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
  return inboxOf(project.journal.state(), protocol, runs, as, (role) => recordedAnswers(project, role));
}

/** The messages that a role has answered in its outbox, not accepted by a controller yet. */
function recordedAnswers(project: Project, role: RoleName): ReadonlySet<MessageId> {
  const drafts = project.mail(role, 'outbox').map(({ text, path }) => parseMessage(text, path));
  return new Set(drafts.flatMap((draft) => (draft.ok ? (draft.value.inReplyTo ?? []) : [])));
}

/** Whether `inbox --as` lists something for a name: an approver need not be a human role. */
export async function isPerson(project: Project, name: string): Promise<boolean> {
  const definition = await project.definition();
  return definition.ok && peopleOf(definition.value.protocol).includes(name);
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

/**
 * The items that wait for a person (`as`), or for all of them. `answered`: requests that a role has
 * answered, although the state does not show it yet.
 */
function inboxOf(
  state: MailState,
  protocol: Protocol,
  runs: readonly RunStatusDocument[],
  as: RoleName | null,
  answered: (role: RoleName) => ReadonlySet<MessageId>,
): Inbox {
  const all = peopleOf(protocol);
  const recorded = new Map(all.map((role) => [role, answered(role)]));
  const isAnswered = (role: RoleName, { id }: Message) => recorded.get(role)?.has(id) === true;
  const isAsked = (role: RoleName) => as === null || role === as;
  const requests = [...state.mail.values()].flatMap((mail) => {
    const people = mayAnswer(state, mail, all).filter((role) => !isAnswered(role, mail.message));
    return people.some(isAsked) ? [requestItem(state, protocol, mail, people, as)] : [];
  });
  const questions = questionItems(state, as);
  const asked = new Set([...requests.map(({ id }) => id), ...questions.map(({ question }) => question)]);
  const notices = new Map<MessageId, { readonly message: Message; readonly to: RoleName[] }>();
  for (const { message, role } of state.unread.values()) {
    if (!all.includes(role) || !isAsked(role) || asked.has(message.id) || isAnswered(role, message)) continue;
    const to = notices.get(message.id)?.to ?? [];
    notices.set(message.id, { message, to: [...to, role] });
  }
  const items = [
    ...requests,
    ...approvalsOf(runs, as),
    ...landingItems(state),
    ...questions,
    ...[...notices.values()].map(({ message, to }) => noticeItem(message, to)),
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
    ...messagePart(message),
    kind: 'request',
    question: null,
    changes: null,
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
    .map(({ gate, message, approvers, choices, fields, since, deadline, on_timeout }) => ({
      id: `${run}/${gate}`,
      kind: 'approval',
      thread: null,
      run,
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

/** The work that waits until a person lets it land. */
export function landingItems({ landings, threads }: MailState): WaitingItem[] {
  return [...landings.values()]
    .filter(({ phase }) => phase.is === 'asked')
    .map((landing) => ({ ...landing, reason: askedReason(landing) ?? '', changes: changesOf(landing) }))
    .map(({ turn, thread, role, commit, lands, since, reason, changes }) => ({
      id: turn,
      kind: 'approval',
      thread,
      run: null,
      question: null,
      to: [],
      from: role,
      type: 'landing',
      subject: `${shortCommit(commit)} is to land on ${lands.branch}: ${threads.get(thread)?.subject ?? ''} (${reason})`,
      since: iso(since),
      deadline: null,
      on_timeout: null,
      fields: {},
      reply_types: ['approve', 'reject'],
      changes,
      command: turnCommand('approve', turn, null, changes),
    }));
}

/** What agents ask a person (`as`), or any, to allow. */
export function questionItems({ turns }: MailState, as: RoleName | null): WaitingItem[] {
  return [...turns.values()].flatMap(({ id, role, thread, phase }): WaitingItem[] => {
    if (phase.is !== 'asking' || phase.answer !== null || (as !== null && phase.person !== as)) return [];
    return [
      {
        id,
        kind: 'approval',
        thread,
        run: null,
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

function noticeItem(message: Message, to: readonly RoleName[]): WaitingItem {
  return {
    ...messagePart(message),
    kind: 'notice',
    question: null,
    changes: null,
    to,
    deadline: null,
    on_timeout: null,
    fields: {},
    reply_types: [],
    command: `mailroom show ${endOfId(message.id)}`,
  };
}

function messagePart({ id, thread, from, type, subject, created }: Message) {
  return { id, thread, run: null, from, type, subject, since: iso(created) };
}

function inOrder(a: InboxItem, b: InboxItem): number {
  const rank = ({ kind, deadline }: InboxItem) => (kind === 'notice' ? 2 : deadline === null ? 1 : 0);
  const time = ({ deadline, since }: InboxItem) => Date.parse(deadline ?? since ?? '') || 0;
  return rank(a) - rank(b) || time(a) - time(b) || (a.id < b.id ? -1 : 1);
}
