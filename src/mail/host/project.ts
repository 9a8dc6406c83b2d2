import type { Mailboxes } from '../mailboxes/mailboxes.ts';
import { fileName, monthOf, type Message } from '../format/message.ts';
import type { MailState, Projection } from '../machine/state.ts';
import { isHuman, peopleOf, type Protocol } from '../format/protocol.ts';
import { formatMessage } from '../format/read-message.ts';
import { withBlock } from '../format/own-block.ts';
import { answerGuide, mayAnswer } from '../machine/answering.ts';
import type { RoleName, MessageId } from '../../kernel/ids.ts';
import type { Reason } from '../../kernel/errors.ts';
import type { DiskGuard } from '../../disk/disk-guard.ts';
import type { MailPorts } from './ports.ts';

/**
 * The projected files of each inbox: role → file name → message id. Any other file was dropped
 * there.
 */
export type Expected = Map<RoleName, Map<string, string>>;

/** What has to lie in the inboxes. */
export function expectedNow(state: MailState): Expected {
  const expected: Expected = new Map();
  const expect = (role: RoleName, message: Message) =>
    namesOf(expected, role).set(fileName(message), message.id);
  for (const { message, deliveries } of state.mail.values())
    for (const [role, { at }] of deliveries) if (at === 'inbox' || at === 'claimed') expect(role, message);
  for (const { message, role } of state.unread.values()) expect(role, message);
  return expected;
}

export function namesOf(expected: Expected, role: RoleName): Map<string, string> {
  const known = expected.get(role);
  if (known) return known;
  const fresh = new Map<string, string>();
  expected.set(role, fresh);
  return fresh;
}

/** A message as the file in an inbox: a request to a person ends with how to answer it. */
export function inboxText(state: MailState, protocol: Protocol, message: Message, role: RoleName): string {
  const text = formatMessage(message);
  const mail = isHuman(protocol, role) ? state.mail.get(message.id) : undefined;
  if (mail === undefined || mayAnswer(state, mail, [role]).length === 0) return text;
  return withBlock(text, answerGuide(state, protocol, mail, role, peopleOf(protocol)));
}

/**
 * Writes one projection to the folders; idempotent. Keeps `expected` in step. `inbox`: a message as
 * the file in an inbox.
 */
export function project(
  mailboxes: Mailboxes,
  expected: Expected,
  projection: Exclude<Projection, { kind: 'answer' }>,
  inbox: (message: Message, role: RoleName) => string,
): void {
  if (projection.kind === 'refused') return projectRefused(mailboxes, projection);
  const { message, role } = projection;
  const name = fileName(message);
  const month = monthOf(message.created);
  if (projection.kind === 'sent') return mailboxes.put(role, 'sent', month, name, formatMessage(message));
  const { delivery, leavesFailed } = projection;
  const names = namesOf(expected, role);
  switch (delivery.at) {
    case 'inbox':
    case 'claimed':
    case 'unread':
      // Before writing, so that a file written by a failing call does not count as dropped.
      names.set(name, message.id);
      mailboxes.put(role, 'inbox', month, name, inbox(message, role));
      break;
    case 'processed':
      mailboxes.file(role, 'processed', month, name, formatMessage(message));
      names.delete(name);
      break;
    case 'failed':
      mailboxes.file(role, 'failed', month, name, formatMessage(message));
      putReason(mailboxes, role, month, name, delivery.reason);
      names.delete(name);
      return;
    case 'withdrawn':
    case 'read':
      mailboxes.remove(role, 'inbox', name);
      names.delete(name);
      break;
    default:
      return delivery satisfies never;
  }
  if (leavesFailed) mailboxes.unfail(role, month, name);
}

function projectRefused(mailboxes: Mailboxes, projection: Extract<Projection, { kind: 'refused' }>): void {
  const { id, created, role, text, reason } = projection;
  const name = fileName({ id, created, type: 'refused' });
  const month = monthOf(created);
  if (text === '') mailboxes.keep(id, role, month, name);
  else mailboxes.put(role, 'failed', month, name, text);
  putReason(mailboxes, role, month, name, reason);
}

function putReason(mailboxes: Mailboxes, role: RoleName, month: string, name: string, reason: Reason): void {
  mailboxes.put(role, 'failed', month, `${name}.reason.txt`, `${reason.code}: ${reason.text}\n`);
}

/** The pending projections. */
interface Pending {
  /** Roles with pending projections: files missing there may never have been written. */
  readonly roles: ReadonlySet<RoleName>;
  /** Refused files whose only copy is the accepted one. */
  readonly refused: ReadonlySet<MessageId>;
}

/**
 * Projects the journal's state to the folders. Retries what the disk refuses at a later look,
 * without delaying the rest. Neither writes nor reports a projection twice.
 */
export class MailboxProjector {
  readonly #ports: Pick<MailPorts, 'mailboxes' | 'runs' | 'notify'>;
  readonly #protocol: Protocol;
  readonly #expected: Expected;
  readonly #projected = new WeakSet<Projection>();

  constructor(
    ports: Pick<MailPorts, 'mailboxes' | 'runs' | 'notify'>,
    protocol: Protocol,
    expected: Expected,
  ) {
    this.#ports = ports;
    this.#protocol = protocol;
    this.#expected = expected;
  }

  project(state: MailState, disk: DiskGuard): void {
    for (const projection of state.pendingProjections.values())
      if (!this.#projected.has(projection) && disk.succeeds(() => this.#projectOne(state, projection)))
        this.#projected.add(projection);
  }

  pending({ pendingProjections }: MailState): Pending {
    const left = [...pendingProjections.values()].filter((projection) => !this.#projected.has(projection));
    return {
      roles: new Set(left.map(({ role }) => role)),
      refused: new Set(left.flatMap((each) => (each.kind === 'refused' ? [each.id] : []))),
    };
  }

  #projectOne(state: MailState, projection: Projection): void {
    if (projection.kind === 'answer') return this.#ports.runs?.answer(projection.answer);
    if (!this.#protocol.roles.has(projection.role)) return;
    project(this.#ports.mailboxes, this.#expected, projection, (message, role) =>
      inboxText(state, this.#protocol, message, role),
    );
    if (projection.kind === 'copy' && projection.delivery.at === 'unread')
      this.#ports.notify(projection.role, projection.message);
  }
}
