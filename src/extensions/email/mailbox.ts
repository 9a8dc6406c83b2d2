import { ImapFlow, type MessageStructureObject } from 'imapflow';
import { simpleParser, type ParsedMail } from 'mailparser';
import { createTransport } from 'nodemailer';
import { visibleHtml } from './visible-html.ts';

/*
 * The mailbox of a channel. Built apart, since its libraries are large: nothing of the program may
 * be imported here but types, and what only this file uses.
 */

/** How long a server may be silent, in milliseconds. */
const patience = 30_000;
/** The longest text that is read, in bytes. Attachments are never read. */
const longestText = 400_000;
/** Mail that is read at once; the next look continues. */
const mostMail = 200;

export interface MailboxSettings {
  readonly smtp: string;
  readonly imap: string;
  readonly login: string;
  readonly password: string;
}

/** A mail to send. */
export interface Letter {
  readonly id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly answers: string | null;
  readonly subject: string;
  readonly text: string;
}

/** A mail that was read. Nothing in it is verified. */
export interface ReadMail {
  readonly uid: number;
  /** When it came into the mailbox. */
  readonly at: number;
  readonly id: string;
  readonly from: readonly string[];
  /** The mail that it answers, the nearest first. */
  readonly answers: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly attachments: readonly string[];
  /** All headers in their order, with names in lower case. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

/** How far a mailbox has been read. */
export interface MailPosition {
  readonly validity: string;
  readonly uid: number;
  readonly at: number;
}

export class Mailbox {
  readonly #settings: MailboxSettings;

  constructor(settings: MailboxSettings) {
    this.#settings = settings;
  }

  /** Sends a mail, with a copy to the mailbox itself, where it can be found. */
  async send({ id, from, to, answers, subject, text }: Letter): Promise<void> {
    const { login: user, password: pass, smtp } = this.#settings;
    const transport = createTransport({
      ...serverOf(smtp, { plain: 587, secure: 465 }),
      auth: { user, pass },
      connectionTimeout: patience,
      greetingTimeout: patience,
      socketTimeout: patience,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      await transport.sendMail({
        messageId: id,
        from,
        to: [...to],
        bcc: from,
        subject,
        text,
        headers: { 'Auto-Submitted': 'auto-generated' },
        ...(answers !== null && { inReplyTo: answers, references: answers }),
      });
    } finally {
      transport.close();
    }
  }

  /** Whether a mail has come into the mailbox. */
  has(id: string): Promise<boolean> {
    return this.#reading(async (client) => {
      const found = await client.search({ header: { 'message-id': id } }, { uid: true });
      return found !== false && found !== undefined && found.length > 0;
    });
  }

  /** What has come after a position, or since a time. Changes nothing in the mailbox. */
  read(
    position: MailPosition | null,
    since: number,
  ): Promise<{ readonly mails: readonly ReadMail[]; readonly position: MailPosition }> {
    return this.#reading(async (client, { validity, next }) => {
      const isSame = position?.validity === validity;
      const after = isSame ? position.uid : 0;
      const from = isSame ? 0 : (position?.at ?? since);
      const uids = after + 1 >= next ? [] : await uidsAfter(client, after, from);
      const mails: ReadMail[] = [];
      for (const uid of uids.slice(0, mostMail)) {
        const mail = await readMail(client, uid);
        if (mail !== null && mail.at >= from - 1_000) mails.push(mail);
      }
      const last = uids.length > mostMail ? uids[mostMail - 1]! : Math.max(after, next - 1);
      const at = mails.reduce((latest, mail) => Math.max(latest, mail.at), position?.at ?? since);
      return { mails, position: { validity, uid: last, at } };
    });
  }

  async #reading<T>(
    act: (client: ImapFlow, box: { readonly validity: string; readonly next: number }) => Promise<T>,
  ): Promise<T> {
    const { imap, login: user, password: pass } = this.#settings;
    const { host, port, secure, requireTLS } = serverOf(imap, { plain: 143, secure: 993 });
    const client = new ImapFlow({
      host,
      port,
      secure,
      doSTARTTLS: requireTLS,
      logger: false,
      auth: { user, pass },
      connectionTimeout: patience,
      socketTimeout: patience,
    });
    // Reported by the command that it breaks.
    client.on('error', () => {});
    await client.connect();
    try {
      const lock = await client.getMailboxLock('INBOX', { readOnly: true });
      try {
        const box = client.mailbox;
        if (box === false) throw new Error('the mailbox INBOX cannot be opened');
        return await act(client, { validity: String(box.uidValidity), next: box.uidNext });
      } finally {
        lock.release();
      }
    } finally {
      client.close();
    }
  }
}

/** TLS is required, except on the loopback interface. */
function serverOf(address: string, ports: { readonly plain: number; readonly secure: number }) {
  const { protocol, hostname, port } = new URL(address.replace(/^(?:smtp|imap)/, 'http'));
  const secure = protocol === 'https:';
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  const isHere = ['localhost', '127.0.0.1', '::1'].includes(host);
  const usual = secure ? ports.secure : ports.plain;
  return {
    host,
    port: port === '' ? usual : Number(port),
    secure,
    requireTLS: !secure && !isHere,
    ignoreTLS: !secure && isHere,
  };
}

async function uidsAfter(client: ImapFlow, after: number, from: number): Promise<number[]> {
  const since = from === 0 ? {} : { since: new Date(from - 86_400_000) };
  const found = await client.search({ uid: `${String(after + 1)}:*`, ...since }, { uid: true });
  // A server answers `n:*` with the last mail even if it is older.
  return (found || []).filter((uid) => uid > after).toSorted((a, b) => a - b);
}

async function readMail(client: ImapFlow, uid: number): Promise<ReadMail | null> {
  const query = { uid: true, internalDate: true, bodyStructure: true, headers: true } as const;
  const found = await client.fetchOne(String(uid), query, { uid: true });
  if (found === false || found.headers === undefined) return null;
  const parsed = await simpleParser(found.headers);
  const parts = found.bodyStructure === undefined ? [] : partsOf(found.bodyStructure);
  const text = parts.find(({ type, isAttached }) => !isAttached && type === 'text/plain');
  const html = parts.find(({ type, isAttached }) => !isAttached && type === 'text/html');
  return {
    ...headersOf(parsed),
    uid,
    at: Number(new Date(found.internalDate ?? 0)),
    text:
      text === undefined
        ? await textOfHtml(html === undefined ? '' : await contentOf(client, uid, html.part))
        : await contentOf(client, uid, text.part),
    attachments: parts.filter(({ isAttached }) => isAttached).map(({ name }) => name),
  };
}

interface Part {
  readonly part: string;
  readonly type: string;
  readonly isAttached: boolean;
  readonly name: string;
}

function partsOf(structure: MessageStructureObject): Part[] {
  const { childNodes, part = '1', type, disposition, dispositionParameters, parameters } = structure;
  if (childNodes !== undefined && type.startsWith('multipart/')) return childNodes.flatMap(partsOf);
  const name = dispositionParameters?.['filename'] ?? parameters?.['name'] ?? type;
  const isText = type === 'text/plain' || type === 'text/html';
  return [{ part, type, isAttached: disposition === 'attachment' || !isText, name }];
}

async function contentOf(client: ImapFlow, uid: number, part: string): Promise<string> {
  const { content } = await client.download(String(uid), part, { uid: true, maxBytes: longestText });
  const chunks: Buffer[] = [];
  for await (const chunk of content ?? []) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8').replaceAll('\r\n', '\n');
}

async function textOfHtml(html: string): Promise<string> {
  const seen = visibleHtml(html);
  const { text = '' } = await simpleParser(`Content-Type: text/html; charset=utf-8\r\n\r\n${seen}`);
  return text;
}

function headersOf(mail: ParsedMail) {
  const froms = mail.headerLines.filter(({ key }) => key === 'from');
  const answers = [mail.inReplyTo ?? [], [mail.references ?? []].flat().toReversed()].flat();
  return {
    id: mail.messageId ?? '',
    from: froms.length === 1 ? (mail.from?.value ?? []).map(({ address = '' }) => address.toLowerCase()) : [],
    answers: [...new Set(answers)],
    subject: mail.subject ?? '',
    headers: mail.headerLines.map(({ key, line }) => ({
      name: key,
      value: line.replace(/^[^:]*:\s*/, ''),
    })),
  };
}
