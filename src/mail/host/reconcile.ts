import type { Fact, Sent } from '../machine/event.ts';
import { fileName, mailroom, subjectLine, type Message } from '../format/message.ts';
import { isHuman, type Protocol } from '../format/protocol.ts';
import { noticeToUser } from '../machine/rules/notices.ts';
import type { MailState } from '../machine/state.ts';
import type { MissingFiles } from './missing-files.ts';
import { namesOf, type Expected } from './project.ts';
import type { Listing } from './listing.ts';
import type { RoleName } from '../../kernel/ids.ts';

/** For a new message. */
interface Fresh {
  readonly newId: () => string;
  readonly now: number;
}

/**
 * Compares an inbox with the journal: a missing file was read by its person, or withdrawn by hand.
 * Call it only when everything is projected, so that an unwritten file does not count as missing.
 */
export function compare(
  state: MailState,
  protocol: Protocol,
  list: Listing,
  expected: Expected,
  role: RoleName,
  absences: MissingFiles,
  fresh: Fresh,
): Fact[] {
  const names = namesOf(expected, role);
  const box = list(role, 'inbox');
  // What was not listed is not missing.
  if (box?.isWhole === false) {
    absences.last(role, []);
    return [];
  }
  const present = box?.names ?? null;
  const vanished = state.roles.get(role)?.vanished === true;
  const there = new Set(present);
  const gone = [...names].filter(([name]) => !there.has(name)).map(([, id]) => id);
  const counts = (id: string) => isHuman(protocol, role) || placeOf(state, role, id) === 'inbox';
  const missing = present === null || vanished ? [] : gone.filter(counts);
  // A claimed message is not missed, nor a file that is not mail yet, but its loss shows that the
  // removal is still under way.
  const strays = (present ?? []).filter((name) => !names.has(name));
  const lasting = absences.last(role, missing.length > 0 ? gone : [], strays);
  if (present === null) return names.size > 0 && !vanished ? [vanish(role)] : [];
  if (vanished) return gone.length === 0 ? [{ type: 'restored', role }] : [];
  return lasting ? missing.flatMap((id) => goneFacts(state, protocol, role, id, fresh)) : [];
}

function placeOf({ mail }: MailState, role: RoleName, id: string): string | undefined {
  return mail.get(id)?.deliveries.get(role)?.at;
}

function vanish(role: RoleName): Fact {
  return {
    type: 'vanished',
    role,
    notices: [
      noticeToUser(null, `The inbox of ${role} is gone`, [
        `E_MAIL_VANISHED: agents/${role}/inbox held waiting mail and is not there any more.`,
        'Nothing is concluded from that: the role is parked until the folder is back with its files.',
        `\`mailroom unpause ${role}\` writes the folder again from the journal.`,
      ]),
    ],
  };
}

function goneFacts(state: MailState, protocol: Protocol, role: RoleName, id: string, fresh: Fresh): Fact[] {
  if (isHuman(protocol, role)) return [{ type: 'read', message: id, recipient: role }];
  const mail = state.mail.get(id);
  if (mail === undefined) return [];
  const { from, subject } = mail.message;
  const name = fileName(mail.message);
  const facts: Fact[] = [
    {
      type: 'withdrawn',
      message: id,
      recipient: role,
      notices: [
        noticeToUser(mail.message.thread, `Withdrawn: ${subject}`, [
          `agents/${role}/inbox/${name} was removed by hand, so ${role} will not get it.`,
          'Its text is still in what its sender sent, and in the trail.',
        ]),
      ],
    },
  ];
  const noticeOf = mail.request === null && protocol.roles.has(from) && !isHuman(protocol, from);
  if (noticeOf) facts.push({ type: 'accepted', sent: withdrawnNotice(mail.message, from, fresh) });
  return facts;
}

/** A notice to the sender of a message that was withdrawn by hand. */
function withdrawnNotice({ id, thread, subject }: Message, to: RoleName, { newId, now }: Fresh): Sent {
  return {
    message: {
      id: newId(),
      type: 'notice',
      from: mailroom,
      to: [to],
      thread,
      inReplyTo: id,
      subject: subjectLine(`Withdrawn: ${subject}`),
      created: now,
      work: null,
      attachments: [],
      fields: {},
      extra: {},
      body: 'A person removed this message before it was read. No role will handle it.',
    },
    request: null,
    answers: null,
    late: false,
    closes: false,
    joins: [],
    people: [],
    opens: null,
  };
}
