import type { EmailChannel } from '../../config/config.ts';
import { messageOf } from '../../kernel/errors.ts';
import { isJsonObject, type Json } from '../../kernel/json.ts';
import { oneLine } from '../../kernel/one-line.ts';
import type { Marks } from '../../channels/host/marks.ts';
import { ChannelError } from '../../channels/machine/contract.ts';
import type { Channel, Incoming, Post, Posted, Received } from '../../channels/machine/contract.ts';
import { absenceIn, automaticBy, domainOf, whyForged } from './headers.ts';
import type { Mailbox, MailPosition, ReadMail } from './mailbox.ts';

/**
 * How long a mail may take into the mailbox before it counts as never sent, in milliseconds.
 */
const slowest = 300_000;

/** What is below it in an answer is the quoted question. */
const answerAbove = '=== Write your answer above this line ===';

/** Mail between a mailbox and people: a conversation is a chain of answers. */
export class Email implements Channel {
  readonly hasNews = false;
  readonly report = null;
  readonly #settings: EmailChannel;
  readonly #mailbox: Pick<Mailbox, 'send' | 'has' | 'read'>;
  readonly #marks: Marks;
  readonly #now: () => number;

  constructor(
    settings: EmailChannel,
    mailbox: Pick<Mailbox, 'send' | 'has' | 'read'>,
    marks: Marks,
    now: () => number,
  ) {
    this.#settings = settings;
    this.#mailbox = mailbox;
    this.#marks = marks;
    this.#now = now;
  }

  async send({ key, conversation, subject, text, to }: Post): Promise<Posted> {
    const id = this.#idOf(key);
    const { address: from } = this.#settings;
    const about = oneLine(subject === '' ? 'Not accepted' : subject, 200);
    const body = `${answerAbove}\n\n${text}\n`;
    const letter = { id, from, to, answers: conversation, subject: about, text: body };
    await tried('sent', () => this.#mailbox.send(letter));
    return { reference: id, conversation: conversation ?? id };
  }

  async find({ key, conversation }: Post, since: number): Promise<Posted | null> {
    const id = this.#idOf(key);
    if (await tried('read', () => this.#mailbox.has(id)))
      return { reference: id, conversation: conversation ?? id };
    if (this.#now() - since >= slowest) return null;
    throw new ChannelError('a mail may have been sent, and has not come into the mailbox yet');
  }

  async receive(cursor: Json, since: number): Promise<Received> {
    const from = positionOf(cursor);
    const { mails, position } = await tried('read', () => this.#mailbox.read(from, since));
    const incoming = mails
      .filter((mail) => !this.#isCopy(mail))
      .map((mail) => this.#incoming(mail, position));
    return { incoming, unread: [], cursor: { ...position } };
  }

  listen(): void {}

  confirm(): void {}

  async close(): Promise<void> {}

  #incoming(mail: ReadMail, { validity }: MailPosition): Incoming {
    const { uid, id, from, answers, subject, attachments } = mail;
    const own = answers.find((each) => this.#isOwn(each));
    const answered = own ?? answers[0] ?? null;
    const left =
      attachments.length === 0
        ? ''
        : `\n\n(Not passed on: ${attachments.map((each) => oneLine(each, 80)).join(', ')})`;
    const author = from.length === 1 ? (from[0] ?? '') : '';
    return {
      id: `mail-${validity}-${String(uid)}`,
      kind: answered === null ? 'task' : 'reply',
      conversation: id,
      answers: answered,
      author,
      writer: author,
      forged: automaticBy(mail.headers) ?? whyForged(mail, this.#settings.verifiedBy),
      doubt: absenceIn(subject),
      subject: oneLine(subject, 200),
      text: `${withoutQuote(mail.text)}${left}`,
    };
  }

  /** Half of it says what it is of, the other half that it was made here. */
  #idOf(key: string): string {
    const name = this.#marks.seal(key).slice(0, 16);
    return `<mailroom.${name}${this.#sealOf(name)}@${domainOf(this.#settings.address)}>`;
  }

  #sealOf(name: string): string {
    return this.#marks.seal(`message-id ${name}`).slice(0, 16);
  }

  #isOwn(id: string): boolean {
    const [, name, seal, domain] = /^<mailroom\.([\da-f]{16})([\da-f]{16})@([^@>]+)>$/.exec(id) ?? [];
    const isHere = domain === domainOf(this.#settings.address);
    return name !== undefined && isHere && seal === this.#sealOf(name);
  }

  /** The copy of a mail that was sent from here. */
  #isCopy({ id, from }: ReadMail): boolean {
    return this.#isOwn(id) && from.join() === this.#settings.address.toLowerCase();
  }
}

function positionOf(cursor: Json): MailPosition | null {
  if (!isJsonObject(cursor)) return null;
  const { validity, uid, at } = cursor;
  const isWhole = typeof validity === 'string' && typeof uid === 'number' && typeof at === 'number';
  return isWhole ? { validity, uid, at } : null;
}

async function tried<T>(what: 'sent' | 'read', act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { responseCode, responseText } = error as { responseCode?: number; responseText?: string };
    const refused =
      what === 'sent' && responseCode !== undefined && responseCode >= 550 && responseCode < 560;
    const words = oneLine(responseText ?? messageOf(error), 300);
    throw new ChannelError(`mail cannot be ${what}: ${words}`, { refused });
  }
}

/** What the person has written, without the question below it. */
export function withoutQuote(text: string): string {
  const lines = text.split('\n');
  const line = lines.findIndex((each) => each.includes(answerAbove));
  const own = line < 0 ? lines : lines.slice(0, line);
  while (own.length > 0 && isQuote(own.at(-1) ?? '', line >= 0)) own.pop();
  return own.join('\n').trim();
}

/** Empty and quoted lines, and the line of the program that introduces the quote. */
function isQuote(line: string, isCut: boolean): boolean {
  return /^\s*(?:>.*)?$/.test(line) || (isCut && /:\s*$/.test(line) && /\d/.test(line));
}
