import type { Json } from '../kernel/json.ts';
import type { MessageId, RoleName, ThreadId, TypeName } from '../kernel/ids.ts';
import type { Message } from '../mail/format/message.ts';
import { parseMessage } from '../mail/format/read-message.ts';
import { emptyState, type Mail, type MailState } from '../mail/machine/state.ts';
import { isHuman, stepResult, type FieldType, type Protocol } from '../mail/format/protocol.ts';
import { openAsksFor } from '../mail/machine/fold/asks.ts';
import { MailroomError } from '../kernel/errors.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { ProblemsError } from './problems.ts';
import type { Holder, Project } from './project/project.ts';
import type { RunStatusDocument, WorkflowStatus } from './runs/run-status.ts';
import { iso, isoOrNull } from './times.ts';

/** The items that wait for people. `as`: the requested role; null: every person of the protocol. */
export interface InboxDocument {
  readonly schema: 1;
  readonly as: RoleName | null;
  /** The earliest deadline first, then the longest wait; notices last. */
  readonly items: readonly InboxItem[];
}

/** An item that waits. Times are ISO 8601 in UTC. */
export interface InboxItem {
  /** The id of the message; for an approval, `<run>/<gate>`. */
  readonly id: string;
  /**
   * `request`: a sender waits for an answer. `approval`: a gate of a run waits. `notice`: only to
   * be read.
   */
  readonly kind: 'request' | 'approval' | 'notice';
  /** Null: an approval. */
  readonly thread: ThreadId | null;
  /** Null: a message. */
  readonly run: string | null;
  /** Who may answer: human roles, or the approvers of a gate; empty: any person. */
  readonly to: readonly string[];
  /** The sender; for an approval, the name of the workflow. */
  readonly from: string;
  readonly type: TypeName;
  readonly subject: string;
  readonly since: string | null;
  readonly deadline: string | null;
  /** What happens without an answer before the deadline; null: there is no deadline. */
  readonly on_timeout: string | null;
  /** The fields of the types that answer it. */
  readonly fields: Readonly<Record<string, InboxField>>;
  readonly reply_types: readonly TypeName[];
  /** The command that answers it; for a notice, that shows it. */
  readonly command: string;
}

export interface InboxField {
  readonly type: FieldType['type'];
  /** The allowed values; null: any of its type. */
  readonly enum: readonly Json[] | null;
  readonly required: boolean;
}

/**
 * The items that wait for a person, or, where `as` is null, for all of them. Throws `E_TARGET`
 * where `as` is not a human role, and the problems of the protocol.
 */
export async function readInbox(
  project: Project,
  workflows: { status(holder: Holder | null): Promise<WorkflowStatus> },
  as: RoleName | null,
): Promise<InboxDocument> {
  const definition = await project.definition();
  if (!definition.ok) throw new ProblemsError(definition.problems);
  const { protocol } = definition.value;
  if (as !== null) expectPerson(protocol, as);
  const { runs } = await workflows.status(project.holder());
  return inboxOf(project.state() ?? emptyState(), protocol, runs, as, (role) =>
    recordedAnswers(project, role),
  );
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

function peopleOf(protocol: Protocol): RoleName[] {
  return [...protocol.roles.keys()].filter((role) => isHuman(protocol, role));
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

/** Whether a word is a position in the inbox, not an id. */
export function isPosition(word: string): boolean {
  return word === 'last' || word.startsWith('@');
}

/** The gates that wait for a person (`as`), or for any. */
export function approvalsOf(runs: readonly RunStatusDocument[], as: RoleName | null): InboxItem[] {
  return runs.flatMap((run) => approvalItems(run, as)).toSorted(inOrder);
}

/**
 * The item that a word means: `@2`, the second of the list, or `last`, the last of these kinds;
 * null: the only one of these kinds. Throws `E_TARGET` with the list if there is none or more than
 * one.
 */
export function pickItem(
  items: readonly InboxItem[],
  kinds: readonly InboxItem['kind'][],
  word: string | null,
): InboxItem {
  const fitting = items.filter(({ kind }) => kinds.includes(kind));
  const picked = itemAt(items, fitting, word);
  if (picked !== undefined && kinds.includes(picked.kind)) return picked;
  const what = kinds.includes('approval') ? 'gate' : 'request';
  const [first] = fitting;
  if (first === undefined)
    throw new MailroomError(
      'E_TARGET',
      `no ${what} waits for an answer`,
      'list everything with `mailroom inbox`',
    );
  const list = fitting.map(
    (item) => `  ${wordsFor(item, items)}  ${item.from}: ${item.subject.replaceAll(/\s+/g, ' ')}`,
  );
  const problem =
    word === null ? `${String(fitting.length)} ${what}s wait` : `\`${word}\` is not a ${what} that waits`;
  const hint = `say which one, for example ${wordsFor(first, items)}`;
  throw new MailroomError('E_TARGET', [`${problem}:`, ...list].join('\n'), hint);
}

function itemAt(
  items: readonly InboxItem[],
  fitting: readonly InboxItem[],
  word: string | null,
): InboxItem | undefined {
  if (word === null) return fitting.length === 1 ? fitting[0] : undefined;
  if (word === 'last') return fitting.at(-1);
  return /^@[1-9]\d*$/.test(word) ? items[Number(word.slice(1)) - 1] : undefined;
}

/** What names an item to a command. Gates have a name that is found without the inbox, too. */
function wordsFor({ run, id }: InboxItem, items: readonly InboxItem[]): string {
  const position = items.findIndex((item) => item.id === id) + 1;
  return run === null ? `@${String(position)}` : `${endOf(run)} ${id.slice(run.length + 1)}`;
}

/**
 * The items that wait for a person (`as`), or for all of them. `answered`: requests that a role has
 * answered, although the state does not show it yet.
 */
export function inboxOf(
  state: MailState,
  protocol: Protocol,
  runs: readonly RunStatusDocument[],
  as: RoleName | null,
  answered: (role: RoleName) => ReadonlySet<MessageId>,
): InboxDocument {
  const people = peopleOf(protocol).filter((role) => (as ?? role) === role);
  const recorded = new Map(people.map((role) => [role, answered(role)]));
  const isAnswered = (role: RoleName, { id }: Message) => recorded.get(role)?.has(id) === true;
  const requests = [...state.mail.values()].flatMap((mail) => {
    const to = people.filter(
      (role) => openAsksFor(state, mail, role).length > 0 && !isAnswered(role, mail.message),
    );
    return to.length === 0 ? [] : [requestItem(state, protocol, mail, to, as)];
  });
  const asked = new Set(requests.map(({ id }) => id));
  const notices = new Map<MessageId, { readonly message: Message; readonly to: RoleName[] }>();
  for (const { message, role } of state.unread.values()) {
    if (!people.includes(role) || asked.has(message.id) || isAnswered(role, message)) continue;
    const to = notices.get(message.id)?.to ?? [];
    notices.set(message.id, { message, to: [...to, role] });
  }
  const items = [
    ...requests,
    ...approvalsOf(runs, as),
    ...[...notices.values()].map(({ message, to }) => noticeItem(message, to)),
  ];
  return { schema: 1, as, items: items.toSorted(inOrder) };
}

function requestItem(
  state: MailState,
  protocol: Protocol,
  { message, request }: Mail,
  to: readonly RoleName[],
  as: RoleName | null,
): InboxItem {
  const types = (request?.replies ?? []).filter(
    (name) => protocol.types.has(name) || name === stepResult.name,
  );
  const deadline = state.deadlines.get(message.id) ?? null;
  const fields = Object.fromEntries(types.flatMap((name) => fieldsOf(protocol, name)));
  return {
    ...messagePart(message, to),
    kind: 'request',
    deadline: isoOrNull(deadline),
    on_timeout:
      deadline === null || request === null ? null : consequences[request.onTimeout](request.escalateTo),
    fields,
    reply_types: types,
    command: replyCommand(message.id, types, fields, as === null && to.length > 1 ? to : []),
  };
}

const consequences = {
  escalate: (to: RoleName) => `${to} is asked as well`,
  proceed: () => 'the sender continues without an answer',
  fail: () => 'the thread fails',
} as const;

function fieldsOf(protocol: Protocol, name: TypeName): [string, InboxField][] {
  const fields = Object.entries(protocol.types.get(name)?.fields ?? {});
  return fields.map(([field, { type, enum: values, required }]) => [field, { type, enum: values, required }]);
}

/**
 * The command with everything required. Choices are one quoted word, `approved|rejected`: pasted
 * unchanged it is refused with the choices, and nothing is sent.
 */
function replyCommand(
  id: MessageId,
  types: readonly TypeName[],
  fields: InboxItem['fields'],
  people: readonly RoleName[],
): string {
  const required = Object.entries(fields).filter(([, field]) => field.required);
  return [
    `mailroom reply ${endOf(id)}`,
    ...(people.length > 0 ? [`--as ${quoted(people.join('|'))}`] : []),
    ...(types.length > 1 ? [`--type ${quoted(types.join('|'))}`] : []),
    ...required.map(
      ([name, { enum: values, type }]) => `--field ${quoted(`${name}=${choices(values, type)}`)}`,
    ),
    '--message "…"',
  ].join(' ');
}

function choices(values: readonly Json[] | null, type: FieldType['type']): string {
  if (values === null) return `<${type}>`;
  return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('|');
}

function quoted(word: string): string {
  return /^[\w.,=/-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** As much of an id as a person types. */
function endOf(id: string): string {
  return id.slice(-6);
}

function approvalItems({ run, workflow, gates }: RunStatusDocument, as: RoleName | null): InboxItem[] {
  return gates
    .filter(({ approvers, recorded }) => recorded === null && (as === null || mayApprove(approvers, as)))
    .map(({ gate, message, approvers, since, deadline, on_timeout, approve }) => ({
      id: `${run}/${gate}`,
      kind: 'approval',
      thread: null,
      run,
      to: approvers,
      from: workflow,
      type: 'gate',
      subject: message,
      since,
      deadline,
      on_timeout,
      fields: {},
      reply_types: ['approve', 'reject'],
      command: approve,
    }));
}

function mayApprove(approvers: readonly string[], as: RoleName): boolean {
  return approvers.length === 0 || approvers.includes(as);
}

function noticeItem(message: Message, to: readonly RoleName[]): InboxItem {
  return {
    ...messagePart(message, to),
    kind: 'notice',
    deadline: null,
    on_timeout: null,
    fields: {},
    reply_types: [],
    command: `mailroom show ${endOf(message.id)}`,
  };
}

function messagePart({ id, thread, from, type, subject, created }: Message, to: readonly RoleName[]) {
  return { id, thread, run: null, to, from, type, subject, since: iso(created) };
}

function inOrder(a: InboxItem, b: InboxItem): number {
  const rank = ({ kind, deadline }: InboxItem) => (kind === 'notice' ? 2 : deadline === null ? 1 : 0);
  const time = ({ deadline, since }: InboxItem) => Date.parse(deadline ?? since ?? '') || 0;
  return rank(a) - rank(b) || time(a) - time(b) || (a.id < b.id ? -1 : 1);
}
